"""Each field of a submission wrong in turn: a clear 400 that names it, and no trace left behind."""

import pytest

from headland.settings import JobsSettings

pytestmark = pytest.mark.anyio

GOOD = {
    "file": "wasbs:///app.jar",
    "className": "demo.App",
    "args": ["1"],
    "jars": ["wasbs:///app.jar"],
    "pyFiles": ["wasbs:///app.jar"],
    "files": ["wasbs:///app.jar"],
    "archives": ["wasbs:///app.jar"],
    "driverMemory": "1g",
    "driverCores": 1,
    "executorMemory": "1g",
    "executorCores": 1,
    "numExecutors": 1,
    "queue": "default",
    "name": "harvest",
    "proxyUser": "99999999-8888-7777-6666-555555555555",
    "conf": {"spark.x": "1"},
}
LISTS = ("args", "jars", "pyFiles", "files", "archives")
PATHS = LISTS[1:]
COUNTS = ("driverCores", "executorCores", "numExecutors")
MEMORIES = ("driverMemory", "executorMemory")
REQUIRED = "Rejected, Reason: requirement failed: "
MISSING = object()

WRONG = [
    ("file", MISSING, f"{REQUIRED}File is required."),
    ("file", None, f"{REQUIRED}File is required."),
    ("file", "", f"{REQUIRED}File is required."),
    ("file", ["wasbs:///app.jar"], "file: expected "),
    ("file", {}, "file: expected "),
    ("file", 5, f"{REQUIRED}Path '5' is not absolute."),
    ("file", "app.jar", f"{REQUIRED}Path 'app.jar' is not absolute."),
    ("file", "a\0b", f"{REQUIRED}file contains a NUL character."),
    ("file", "bad uri", "Rejected, Reason: 'bad uri' is not a URL"),
    ("file", "wasbs:///" + "x" * 8_000, "its path is longer than 1024 characters"),
    ("file", "wasbs:///" + "x" * 100_000, "has 100009 characters; a path has 8192 at the most"),
    ("className", MISSING, f"{REQUIRED}className is required"),
    ("className", None, f"{REQUIRED}className is required"),
    ("className", "", f"{REQUIRED}className '' is not a class name."),
    ("className", 5, "className: expected string, got integer"),
    ("className", ["demo.App"], "className: expected string, got array"),
    ("className", "demo App", f"{REQUIRED}className 'demo App' is not a class name."),
    ("className", "A" * 100_000, f"{REQUIRED}className 'AAA"),
    *((field, "wasbs:///app.jar", f"{field}: expected array, got string") for field in LISTS),
    *((field, 5, f"{field}: expected array, got integer") for field in LISTS),
    *((field, {"0": "x"}, f"{field}: expected array, got object") for field in LISTS),
    *((field, [{}], f"{field}[0]: expected ") for field in LISTS),
    *((field, ["wasbs:///app.jar", None], f"{field}[1]: expected ") for field in LISTS),
    *((field, ["\0"], f"{REQUIRED}{field}[0] contains a NUL character.") for field in LISTS),
    *((field, ["x"] * 10_001, f"{REQUIRED}{field} has 10001 items; 10000 are allowed.") for field in LISTS),
    *((field, [""], f"{REQUIRED}Path '' is not absolute.") for field in PATHS),
    *((field, ["/etc/passwd"], f"{REQUIRED}Local path /etc/passwd cannot be added") for field in PATHS),
    *((field, ["wasbs:///gone"], "There is no blob wasbs://default@headland/gone.") for field in PATHS),
    *((field, "", f"{REQUIRED}{field} '' is not an amount of memory") for field in MEMORIES),
    *((field, "lots", f"{REQUIRED}{field} 'lots' is not an amount of memory") for field in MEMORIES),
    *((field, -1, f"{REQUIRED}{field} '-1' is not an amount of memory") for field in MEMORIES),
    *((field, ["1g"], f"{field}: expected ") for field in MEMORIES),
    *((field, "9" * 100_000, f"{REQUIRED}{field} '999") for field in MEMORIES),
    *((field, "two", f"{field}: expected integer, got string") for field in COUNTS),
    *((field, "", f"{field}: expected integer, got string") for field in COUNTS),
    *((field, 1.5, f"{field}: expected integer, got number") for field in COUNTS),
    *((field, True, f"{field}: expected integer, got boolean") for field in COUNTS),
    *((field, [1], f"{field}: expected integer, got array") for field in COUNTS),
    *((field, 0, f"{field}: expected integer >= 1") for field in COUNTS),
    *((field, -1, f"{field}: expected integer >= 1") for field in COUNTS),
    *((field, 2**31, f"{field}: expected integer <= 2147483647") for field in COUNTS),
    ("queue", ["default"], "queue: expected "),
    ("queue", "a\nb", f"{REQUIRED}queue 'a\nb' is not the name of a queue."),
    ("queue", "q" * 100_000, f"{REQUIRED}queue 'qqq"),
    ("name", "", "Rejected, Reason: Invalid session name: "),
    ("name", "123", "Rejected, Reason: Invalid session name: 123"),
    ("name", 5, "Rejected, Reason: Invalid session name: 5"),
    ("name", "a/b", "Rejected, Reason: Invalid session name: a/b"),
    ("name", ["harvest"], "name: expected "),
    (
        "name",
        "n" * 100_000,
        "Rejected, Reason: Invalid session name: it has 100000 characters, 255 are allowed",
    ),
    ("proxyUser", "", f"{REQUIRED}proxyUser '' is not a user name."),
    ("proxyUser", "a b", f"{REQUIRED}proxyUser 'a b' is not a user name."),
    ("proxyUser", {}, "proxyUser: expected "),
    ("proxyUser", "u" * 100_000, f"{REQUIRED}proxyUser 'uuu"),
    ("conf", "spark.x=1", "conf: expected object, got string"),
    ("conf", [["spark.x", "1"]], "conf: expected object, got array"),
    ("conf", {"spark.x": ["1"]}, "conf.spark.x: expected "),
    ("conf", {"": "1"}, f"{REQUIRED}conf has the key '', which is not a configuration key."),
    ("conf", {"a b": "1"}, f"{REQUIRED}conf has the key 'a b', which is not a configuration key."),
    ("conf", {"spark.x": "\0"}, f"{REQUIRED}conf['spark.x'] contains a NUL character."),
    ("conf", {"k" * 100_000 + " ": "1"}, f"{REQUIRED}conf has the key 'kkk"),
    ("conf", {"spark.files": "wasbs:///gone"}, "There is no blob wasbs://default@headland/gone."),
    (
        "conf",
        {"spark.submit.deployMode": "cluster"},
        "Rejected, Reason: Blacklisted configuration values in session config: spark.submit.deployMode",
    ),
]


@pytest.fixture
async def service(make_service):
    return await make_service(jobs=JobsSettings(impersonation=True))


async def test_the_fields_are_right_to_begin_with(service):
    assert (await service.post(json=GOOD)).status_code == 201


@pytest.mark.parametrize("listener", ["public", "private"])
async def test_each_field_wrong_in_turn(service, check_error, listener):
    client = getattr(service, listener)
    headers = service.headers()
    for field, value, text in WRONG:
        body = {name: given for name, given in {**GOOD, field: value}.items() if given is not MISSING}
        answer = await client.post("/batches", json=body, headers=headers)
        check_error(answer, 400, text)
    assert service.is_untouched()


def test_no_field_is_forgotten():
    assert {field for field, _, _ in WRONG} == set(GOOD)
