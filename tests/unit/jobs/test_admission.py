"""What may be run: each field of a request right, wrong, missing, null, empty and huge."""

import pytest

from headland.http.validation import BodyInvalidError
from headland.jobs.batches.admission import admit
from headland.jobs.batches.errors import BatchError, RejectedError, RequirementError
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.submission import Submission, decode, encode
from headland.jobs.batches.wire import BatchRequest
from headland.settings import JobsSettings, QueueSettings

JAR = {"file": "wasbs:///app.jar", "className": "demo.App"}
PROGRAM = {"file": "wasbs:///app.py"}
LISTS = {"jars": "jars", "pyFiles": "py_files", "files": "files", "archives": "archives"}
FIELDS = {
    "className": "class_name",
    "args": "args",
    **LISTS,
    "driverMemory": "driver_memory",
    "driverCores": "driver_cores",
    "executorMemory": "executor_memory",
    "executorCores": "executor_cores",
    "numExecutors": "num_executors",
    "queue": "queue",
    "name": "name",
    "proxyUser": "proxy_user",
    "conf": "conf",
}
REQUIRED = "Rejected, Reason: requirement failed: "

RIGHT = [
    ("file", "wasbs:///app.py", "wasbs:///app.py"),
    (
        "file",
        "wasbs://data@headland.blob.core.windows.net/a/b.py",
        "wasbs://data@headland.blob.core.windows.net/a/b.py",
    ),
    ("className", "App", "App"),
    ("className", "org.example.App$Inner_1", "org.example.App$Inner_1"),
    ("className", "été.Café", "été.Café"),
    ("args", ["a", "", " b ", "--x=ü", "-"], ("a", "", " b ", "--x=ü", "-")),
    ("args", [1, -7, 2.5, True, False, "true", "1"], ("1", "-7", "2.5", "true", "false", "true", "1")),
    ("args", [12345678901234567890123], ("12345678901234567890123",)),
    ("args", ["x" * 200_000], ("x" * 200_000,)),
    ("args", ["a"] * 10_000, ("a",) * 10_000),
    ("jars", ["wasbs:///a.jar", "wasbs:///b.jar"], ("wasbs:///a.jar", "wasbs:///b.jar")),
    ("pyFiles", ["wasbs:///lib.zip"], ("wasbs:///lib.zip",)),
    ("files", ["wasbs:///t.csv#table"], ("wasbs:///t.csv#table",)),
    ("archives", ["wasbs:///env.zip#env"], ("wasbs:///env.zip#env",)),
    ("driverMemory", "2g", "2g"),
    ("driverMemory", "512m", "512m"),
    ("driverMemory", "1GB", "1GB"),
    ("driverMemory", "536870912b", "536870912b"),
    ("driverMemory", "1024", "1024"),
    ("driverMemory", 1024, "1024"),
    ("executorMemory", "4T", "4T"),
    ("executorMemory", 900, "900"),
    ("driverCores", 1, 1),
    ("driverCores", "4", 4),
    ("executorCores", 4.0, 4),
    ("executorCores", "2", 2),
    ("numExecutors", 2**31 - 1, 2**31 - 1),
    ("numExecutors", "10", 10),
    ("queue", "root.night", "root.night"),
    ("queue", 7, "7"),
    ("name", "Nightly harvest, 2nd run", "Nightly harvest, 2nd run"),
    ("name", "ernte-überblick", "ernte-überblick"),
    ("name", True, "true"),
    ("name", "1a", "1a"),
    ("name", "n" * 255, "n" * 255),
    ("proxyUser", "alice", "alice"),
    ("proxyUser", "svc_farm.2@EXAMPLE.COM", "svc_farm.2@EXAMPLE.COM"),
    ("conf", {"spark.x": "1"}, {"spark.x": "1"}),
    ("conf", {"a": 1, "b": True, "c": 2.5, "d": ""}, {"a": "1", "b": "true", "c": "2.5", "d": ""}),
    ("conf", {"a": None, "b": "kept"}, {"b": "kept"}),
    ("conf", {"spark.x": "k=v, and more\n"}, {"spark.x": "k=v, and more\n"}),
]


@pytest.mark.parametrize(("field", "value", "admitted"), RIGHT)
def test_a_right_value_is_admitted(admit_body, field, value, admitted):
    submission = admit_body({**PROGRAM, field: value})
    assert getattr(submission, {"file": "file", **FIELDS}[field]) == admitted


@pytest.mark.parametrize("body", [{}, dict.fromkeys(FIELDS)], ids=["missing", "null"])
def test_everything_but_the_file_may_be_missing_or_null(admit_body, body):
    assert admit_body({**PROGRAM, **body}) == Submission(file="wasbs:///app.py", master="local[*]")


@pytest.mark.parametrize("field", ["args", *LISTS])
def test_an_empty_list_is_none_given(admit_body, field):
    assert admit_body({**PROGRAM, field: []}) == Submission(file="wasbs:///app.py", master="local[*]")


def test_an_empty_conf_or_queue_is_none_given(admit_body):
    assert admit_body({**PROGRAM, "conf": {}, "queue": ""}) == Submission(
        file="wasbs:///app.py", master="local[*]"
    )


QUEUES = {"nightly": QueueSettings(max_running=1), "adhoc": QueueSettings()}


@pytest.mark.parametrize("queue", ["nightly", "adhoc", "default", "", None])
def test_queues_that_are_declared_may_be_named_and_the_default_one(admit_body, queue):
    assert admit_body({**PROGRAM, "queue": queue}, queues=QUEUES).queue == (queue or None)


@pytest.mark.parametrize("queue", ["weekly", "Nightly", "nightly "])
def test_a_queue_that_is_not_declared_is_refused_where_some_are(admit_body, queue):
    with pytest.raises(RequirementError) as refused:
        admit_body({**PROGRAM, "queue": queue}, queues=QUEUES)
    assert refused.value.message == (
        f"{REQUIRED}queue '{queue}' is not there. The queues are: adhoc, default, nightly."
    )


WRONG = [
    # No file, or none that could be meant.
    ("file", None, f"{REQUIRED}File is required."),
    ("file", "", f"{REQUIRED}File is required."),
    ("file", 5, f"{REQUIRED}Path '5' is not absolute."),
    ("file", True, f"{REQUIRED}Path 'true' is not absolute."),
    ("file", "app.jar", f"{REQUIRED}Path 'app.jar' is not absolute."),
    ("file", "wasbs:///" + "x" * 8_000, "Rejected, Reason: wasbs://default@headland/xxx"),
    ("file", "x" * 8_000, f"{REQUIRED}Path 'xxx"),
    (
        "file",
        "x" * 100_000,
        f"Rejected, Reason: '{'x' * 200}…' has 100000 characters; a path has 8192 at the most.",
    ),
    (
        "conf",
        dict.fromkeys(map(str, range(10_001)), ""),
        f"{REQUIRED}conf has 10001 keys; 10000 are allowed.",
    ),
    ("conf", {"spark.jars": "a," * 10_002}, f"{REQUIRED}conf['spark.jars'] has more than 10000 items."),
    # Class names.
    ("className", "", f"{REQUIRED}className '' is not a class name."),
    ("className", "demo.", f"{REQUIRED}className 'demo.' is not a class name."),
    ("className", ".App", f"{REQUIRED}className '.App' is not a class name."),
    ("className", "demo..App", f"{REQUIRED}className 'demo..App' is not a class name."),
    ("className", "demo/App", f"{REQUIRED}className 'demo/App' is not a class name."),
    ("className", "demo App", f"{REQUIRED}className 'demo App' is not a class name."),
    ("className", "demo.App\n", f"{REQUIRED}className 'demo.App\n' is not a class name."),
    ("className", "1App", f"{REQUIRED}className '1App' is not a class name."),
    ("className", "--jars", f"{REQUIRED}className '--jars' is not a class name."),
    ("className", "A" * 256, f"{REQUIRED}className 'AAA"),
    # Memory.
    *(
        (field, value, f"{REQUIRED}{field} '{shown}' is not an amount of memory such as '512m' or '2g'.")
        for field in ("driverMemory", "executorMemory")
        for value, shown in [
            ("", ""),
            ("0", "0"),
            ("0g", "0g"),
            ("-1g", "-1g"),
            ("2x", "2x"),
            ("1.5g", "1.5g"),
            (2.5, "2.5"),
            (True, "true"),
            (0, "0"),
            (" 2g", " 2g"),
            ("2 g", "2 g"),
            ("2g\n", "2g\n"),
            ("2g -XX:OnError=id", "2g -XX:OnError=id"),
            ("1234567890g", "1234567890g"),
            ("٢g", "٢g"),
        ]
    ),
    # Names.
    ("name", "", "Rejected, Reason: Invalid session name: "),
    ("name", "123", "Rejected, Reason: Invalid session name: 123"),
    ("name", 5, "Rejected, Reason: Invalid session name: 5"),
    ("name", "١٢", "Rejected, Reason: Invalid session name: ١٢"),
    ("name", "a/b", "Rejected, Reason: Invalid session name: a/b"),
    ("name", "a\nb", "Rejected, Reason: Invalid session name: a\nb"),
    ("name", "n" * 256, "Rejected, Reason: Invalid session name: it has 256 characters, 255 are allowed"),
    # Users and queues.
    ("proxyUser", "", f"{REQUIRED}proxyUser '' is not a user name."),
    ("proxyUser", "-alice", f"{REQUIRED}proxyUser '-alice' is not a user name."),
    ("proxyUser", "alice smith", f"{REQUIRED}proxyUser 'alice smith' is not a user name."),
    ("proxyUser", "alice\n", f"{REQUIRED}proxyUser 'alice\n' is not a user name."),
    ("proxyUser", "u" * 129, f"{REQUIRED}proxyUser 'uuu"),
    ("queue", "a\nb", f"{REQUIRED}queue 'a\nb' is not the name of a queue."),
    ("queue", "q" * 256, f"{REQUIRED}queue 'qqq"),
    # Lists.
    ("args", ["a"] * 10_001, f"{REQUIRED}args has 10001 items; 10000 are allowed."),
    *(
        (field, value, text)
        for field in LISTS
        for value, text in [
            (["wasbs:///a"] * 10_001, f"{REQUIRED}{field} has 10001 items; 10000 are allowed."),
            ([""], f"{REQUIRED}Path '' is not absolute."),
            ([7], f"{REQUIRED}Path '7' is not absolute."),
            (["lib.zip"], f"{REQUIRED}Path 'lib.zip' is not absolute."),
            (
                ["wasbs:///a", "/etc/passwd"],
                f"{REQUIRED}Local path /etc/passwd cannot be added to user sessions.",
            ),
            (["wasbs:///a,wasbs:///b"], "Rejected, Reason: 'wasbs:///a,wasbs:///b' has a comma"),
            (["wasbs:///a b"], "Rejected, Reason: 'wasbs:///a b' is not a URL: it has white space"),
        ]
    ),
    # Configuration.
    ("conf", {"": "x"}, f"{REQUIRED}conf has the key '', which is not a configuration key."),
    ("conf", {" ": "x"}, f"{REQUIRED}conf has the key ' ', which is not a configuration key."),
    ("conf", {"a b": "x"}, f"{REQUIRED}conf has the key 'a b', which is not a configuration key."),
    ("conf", {"a=b": "x"}, f"{REQUIRED}conf has the key 'a=b', which is not a configuration key."),
    ("conf", {"a\n": "x"}, f"{REQUIRED}conf has the key 'a\n', which is not a configuration key."),
    (
        "conf",
        {"spark.submit.deployMode": "cluster"},
        "Rejected, Reason: Blacklisted configuration values in session config: spark.submit.deployMode",
    ),
    (
        "conf",
        {"spark.submit.deployMode": None},
        "Rejected, Reason: Blacklisted configuration values in session config: spark.submit.deployMode",
    ),
    (
        "conf",
        {"spark.jars": "/etc/passwd"},
        f"{REQUIRED}Local path /etc/passwd cannot be added to user sessions.",
    ),
    ("conf", {"spark.files": "wasbs:///a,b.txt"}, f"{REQUIRED}Path 'b.txt' is not absolute."),
    (
        "conf",
        {"spark.yarn.jars": "wasbs:///a file:/b"},
        f"{REQUIRED}Local path /b cannot be added to user sessions.",
    ),
    ("conf", {"spark.yarn.dist.files": "ftp://h/x"}, f"{REQUIRED}'ftp://h/x' has the scheme 'ftp'"),
]


@pytest.mark.parametrize(("field", "value", "text"), WRONG)
def test_a_wrong_value_is_refused_in_a_few_clear_words(admit_body, field, value, text):
    with pytest.raises(RejectedError) as refused:
        admit_body({**PROGRAM, "className": "demo.App", field: value})
    assert refused.value.status == 400
    assert refused.value.message.startswith(text)
    assert len(refused.value.message) < 1000


TEXTS = ("array", "object")
WRONG_TYPES = [
    *(("file", kind) for kind in TEXTS),
    *(("className", kind) for kind in ("integer", "number", "boolean", *TEXTS)),
    *((field, kind) for field in ("args", *LISTS) for kind in ("string", "integer", "boolean", "object")),
    *(
        (field, kind)
        for field in ("driverMemory", "executorMemory", "queue", "name", "proxyUser")
        for kind in TEXTS
    ),
    *(
        (field, kind)
        for field in ("driverCores", "executorCores", "numExecutors")
        for kind in ("string", "number", "boolean", *TEXTS)
    ),
    *(("conf", kind) for kind in ("string", "integer", "boolean", "array")),
]
OF_TYPE = {
    "string": "many",
    "integer": 5,
    "number": 1.5,
    "boolean": True,
    "array": ["x"],
    "object": {"x": "y"},
}


@pytest.mark.parametrize(("field", "kind"), WRONG_TYPES)
def test_a_value_of_the_wrong_type_is_refused_by_the_fields_name(admit_body, field, kind):
    with pytest.raises(BodyInvalidError, match=f"^{field}: expected .*, got {kind}$"):
        admit_body({**PROGRAM, field: OF_TYPE[kind]})


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("args", ["a", {}], "args[1]"),
        ("args", ["a", "b", []], "args[2]"),
        ("args", [None], "args[0]"),
        *((field, [{}], f"{field}[0]") for field in LISTS),
        ("conf", {"spark.x": {}}, "conf.spark.x"),
        ("conf", {"spark.x": []}, "conf.spark.x"),
    ],
)
def test_a_wrong_item_is_refused_by_its_place(admit_body, field, value, place):
    with pytest.raises(BodyInvalidError) as refused:
        admit_body({**PROGRAM, field: value})
    assert refused.value.field == place


@pytest.mark.parametrize("field", ["driverCores", "executorCores", "numExecutors"])
@pytest.mark.parametrize("number", [0, -1, 2**31, 10**30, "0", "-1"])
def test_counts_are_positive_and_have_32_bits(admit_body, field, number):
    with pytest.raises(BodyInvalidError, match=f"^{field}: "):
        admit_body({**PROGRAM, field: number})


@pytest.mark.parametrize(
    "field", ["file", "className", "driverMemory", "executorMemory", "queue", "name", "proxyUser"]
)
def test_a_nul_in_a_text_is_refused_by_the_fields_name(admit_body, field):
    with pytest.raises(RequirementError, match=f"requirement failed: {field} "):
        admit_body({**PROGRAM, field: "a\0b"})


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"args": ["a", "b\0"]}, r"args\[1\]"),
        ({"jars": ["wasbs:///a\0"]}, r"jars\[0\]"),
        ({"pyFiles": ["wasbs:///a\0"]}, r"pyFiles\[0\]"),
        ({"conf": {"spark.x": "\0"}}, r"conf\['spark.x'\]"),
        ({"conf": {"spark\0x": "1"}}, "conf"),
    ],
)
def test_a_nul_within_a_list_or_conf_is_refused_by_its_place(admit_body, body, place):
    with pytest.raises(RequirementError, match=f"requirement failed: ({place}) contains a NUL character"):
        admit_body({**PROGRAM, **body})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("file", "wasbs:///\ud800.py"),
        ("args", ["ok", "\udfff"]),
        ("jars", ["wasbs:///\ud800"]),
        ("driver_memory", "\ud800"),
        ("queue", "\ud800"),
        ("name", "\ud800"),
        ("proxy_user", "\ud800"),
        ("conf", {"spark.x": "\ud800"}),
        ("conf", {"spark.\ud800": "x"}),
    ],
)
def test_half_a_surrogate_pair_is_refused(storage, field, value):
    settings = JobsSettings(impersonation=True)
    request = BatchRequest(**{"file": "wasbs:///app.py", field: value})
    with pytest.raises(RequirementError, match="half of a surrogate pair"):
        admit(request, settings, PathRules.of(settings, storage))


@pytest.mark.parametrize(
    "file", ["wasbs:///app.jar", "wasbs:///app", "wasbs:///app.PY", "wasbs:///app.py.jar"]
)
@pytest.mark.parametrize("missing", [{}, {"className": None}])
def test_an_archive_needs_an_entry_class(admit_body, file, missing):
    with pytest.raises(RequirementError, match="className is required"):
        admit_body({"file": file, **missing})


@pytest.mark.parametrize("file", ["wasbs:///model.R", "wasbs:///model.r"])
@pytest.mark.parametrize("more", [{}, {"className": "demo.App"}])
def test_an_r_program_is_told_what_is_supported(admit_body, file, more):
    with pytest.raises(RequirementError) as refused:
        admit_body({"file": file, **more})
    assert refused.value.message == (
        f"{REQUIRED}file '{file}' is an R program, and SparkR is not part of Headland. Supported are application "
        "archives (.jar) with a className, and Python programs (.py)."
    )


BAD_PATHS = {
    "/etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "/etc/model.R": "Local path /etc/model.R cannot be added to user sessions.",
    "hdfs:///app.jar": "'hdfs:///app.jar' has the scheme 'hdfs', which is not allowed here; the setting",
    "app.jar": "Path 'app.jar' is not absolute.",
}


@pytest.mark.parametrize(("file", "text"), BAD_PATHS.items())
def test_a_bad_path_is_told_before_a_missing_class_name(admit_body, file, text):
    with pytest.raises(RequirementError) as refused:
        admit_body({"file": file})
    assert refused.value.message.startswith(REQUIRED + text)


@pytest.mark.parametrize("field", LISTS)
def test_a_refused_scheme_names_its_setting_in_every_list(admit_body, field):
    with pytest.raises(RequirementError, match=r"the setting jobs\.url_schemes allows: wasbs\."):
        admit_body({**PROGRAM, field: ["hdfs:///lib.zip"]})


def test_a_program_needs_none(admit_body):
    assert admit_body(PROGRAM).python
    assert not admit_body(JAR).python


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("spark.jars", "jars"),
        ("spark.files", "files"),
        ("spark.archives", "archives"),
        ("spark.submit.pyFiles", "pyFiles"),
    ],
)
@pytest.mark.parametrize("separator", [",", " ", ", ", " ,\n\t"])
def test_lists_in_conf_come_behind_the_requests_own(admit_body, key, field, separator):
    conf = {key: separator.join(["wasbs:///second", "wasbs:///third"]), "spark.x": "1"}
    submission = admit_body({**PROGRAM, field: ["wasbs:///first"], "conf": conf})
    assert getattr(submission, LISTS[field]) == ("wasbs:///first", "wasbs:///second", "wasbs:///third")
    assert submission.conf == {"spark.x": "1"}


def test_paths_that_spark_alone_reads_stay_in_conf(admit_body):
    conf = {"spark.yarn.archive": "wasbs:///spark.zip"}
    assert admit_body({**PROGRAM, "conf": conf}).conf == conf


def test_every_blocked_key_is_named(admit_body):
    conf = {"spark.a": "1", "spark.b": "1", "spark.c": "1"}
    with pytest.raises(BatchError) as refused:
        admit_body({**PROGRAM, "conf": conf}, blocked_conf=("spark.c", "spark.a"))
    assert refused.value.message == (
        "Rejected, Reason: Blacklisted configuration values in session config: spark.a, spark.c"
    )
    assert admit_body({**PROGRAM, "conf": conf}, blocked_conf=()).conf == conf


def test_without_impersonation_the_proxy_user_is_ignored(admit_body):
    body = {**PROGRAM, "proxyUser": "not a user"}
    assert admit_body(body, impersonation=False).proxy_user is None


def test_a_submission_survives_its_row(admit_body):
    submission = admit_body({**JAR, **{field: value for field, value, _ in RIGHT if field != "file"}})
    assert decode(encode(submission)) == submission
    assert encode(admit_body(PROGRAM)) == b'{"file":"wasbs:///app.py","master":"local[*]"}'
