"""The command line of a batch on a local master: each field of a request reaches it, and nothing else does."""

import re
import sys
from pathlib import Path

import pytest

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.java import Toolchain, java_options
from headland.jobs.clusters.launch import Launch
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

TOOLS = Toolchain(Path("/opt/java/bin/java"), Path("/opt/spark"))
KEY = "0123456789abcdef"
RUN = RunDirectory(Path("/home/batches") / KEY)
JAR = {"file": "/staged/app.jar", "class_name": "demo.App"}

DEFAULTS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "localhost",
    "spark.driver.memory": "1g",
    "spark.eventLog.buffer.kb": "1",
    "spark.eventLog.compress": "false",
    "spark.eventLog.dir": f"file:///home/batches/{KEY}/events",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.sql.warehouse.dir": f"file:///home/batches/{KEY}/work/spark-warehouse",
    "spark.ui.enabled": "false",
    "spark.ui.killEnabled": "false",
}


def plan(submission: Submission, **settings: object) -> Launch:
    return Clusters(JobsSettings(**settings), TOOLS).plan(submission, "batch-7", RUN)


def arguments(launch: Launch) -> list[str]:
    """What is in the argument file. No argument here needs more of its escapes than quotes and backslashes."""
    (text,) = launch.files.values()
    return [re.sub(r"\\(.)", r"\1", line[1:-1]) for line in text.splitlines()]


def submitted(submission: Submission, **settings: object) -> list[str]:
    """The arguments of SparkSubmit."""
    found = arguments(plan(submission, **settings))
    return found[found.index("org.apache.spark.deploy.SparkSubmit") + 1 :]


def conf_of(found: list[str]) -> dict[str, str]:
    pairs = [found[index + 1].split("=", 1) for index, part in enumerate(found) if part == "--conf"]
    assert len(dict(pairs)) == len(pairs), "a key is given twice"
    return dict(pairs)


def option(found: list[str], name: str) -> str | None:
    assert found.count(name) <= 1
    return found[found.index(name) + 1] if name in found else None


def test_the_whole_command_line():
    launch = plan(Submission(**JAR, args=("2026", "", "--x=y z")))
    assert launch.command == ["/opt/java/bin/java", f"@/home/batches/{KEY}/java.args"]
    assert list(launch.files) == [Path(f"/home/batches/{KEY}/java.args")]
    assert arguments(launch) == [
        "-cp",
        "/opt/spark/jars/*:/opt/spark/conf",
        *java_options("1g", 0),
        f"-Djava.io.tmpdir={RUN.temporary}",
        "org.apache.spark.deploy.SparkSubmit",
        "--master",
        "local[*]",
        "--name",
        "batch-7",
        "--class",
        "demo.App",
        *(part for key, value in sorted(DEFAULTS.items()) for part in ("--conf", f"{key}={value}")),
        "/staged/app.jar",
        "2026",
        "",
        "--x=y z",
    ]


OPTIONS = [
    ({"class_name": "demo.Other"}, "--class", "demo.Other"),
    ({"jars": ("/a.jar", "/b.jar")}, "--jars", "/a.jar,/b.jar"),
    ({"py_files": ("/a.py", "/b.zip")}, "--py-files", "/a.py,/b.zip"),
    ({"files": ("/t.csv#table", "s3a://b/u.csv")}, "--files", "/t.csv#table,s3a://b/u.csv"),
    ({"archives": ("/env.zip#env",)}, "--archives", "/env.zip#env"),
    ({"proxy_user": "alice"}, "--proxy-user", "alice"),
    ({"name": "Nightly harvest"}, "--name", "Nightly harvest"),
]


@pytest.mark.parametrize(("fields", "name", "value"), OPTIONS)
def test_a_field_that_is_an_option(fields, name, value):
    found = submitted(Submission(**{**JAR, **fields}))
    assert option(found, name) == value
    assert conf_of(found) == DEFAULTS


CONF = [
    ({"driver_memory": "3g"}, "spark.driver.memory", "3g"),
    ({"driver_cores": 3}, "spark.driver.cores", "3"),
    ({"executor_memory": "4g"}, "spark.executor.memory", "4g"),
    ({"executor_cores": 5}, "spark.executor.cores", "5"),
    ({"num_executors": 6}, "spark.executor.instances", "6"),
    ({"queue": "night"}, "spark.yarn.queue", "night"),
    ({"conf": {"spark.sql.shuffle.partitions": "7"}}, "spark.sql.shuffle.partitions", "7"),
    ({"conf": {"spark.x": "a=b, c"}}, "spark.x", "a=b, c"),
    ({"conf": {"spark.x": ""}}, "spark.x", ""),
]


@pytest.mark.parametrize(("fields", "key", "value"), CONF)
def test_a_field_that_is_configuration(fields, key, value):
    assert conf_of(submitted(Submission(**JAR, **fields))) == {**DEFAULTS, key: value}


@pytest.mark.parametrize("fields", [{}, {"class_name": "demo.App"}])
def test_a_program_has_no_entry_class(fields):
    found = submitted(Submission(file="/staged/app.py", args=("1",), **fields))
    assert "--class" not in found
    assert found[-2:] == ["/staged/app.py", "1"]


def test_options_that_are_not_given_are_not_there():
    found = submitted(Submission(**JAR))
    assert not {"--jars", "--py-files", "--files", "--archives", "--proxy-user"} & set(found)


@pytest.mark.parametrize("key", sorted(set(DEFAULTS) - {"spark.driver.memory"}))
def test_a_requests_conf_wins_over_each_default(key):
    assert conf_of(submitted(Submission(**JAR, conf={key: "mine"}))) == {**DEFAULTS, key: "mine"}


def test_a_requests_conf_wins_over_the_deployments_and_that_over_defaults():
    settings = {"spark_conf": {"spark.a": "theirs", "spark.b": "theirs", "spark.ui.enabled": "true"}}
    found = conf_of(submitted(Submission(**JAR, conf={"spark.b": "mine"}), **settings))
    assert found == {**DEFAULTS, "spark.a": "theirs", "spark.b": "mine", "spark.ui.enabled": "true"}


def test_a_requests_own_fields_win_over_its_conf():
    conf = {"spark.driver.cores": "9", "spark.executor.memory": "9g", "spark.driver.memory": "9g"}
    found = conf_of(
        submitted(Submission(**JAR, conf=conf, driver_cores=1, executor_memory="1g", driver_memory="2g"))
    )
    assert (found["spark.driver.cores"], found["spark.executor.memory"]) == ("1", "1g")
    assert found["spark.driver.memory"] == "2g"


@pytest.mark.parametrize("conf", [{}, {"spark.master": "yarn"}, {"spark.master": "local[64]"}])
def test_the_master_is_the_deployments(conf):
    found = submitted(
        Submission(**JAR, conf=conf), master="local[2]", spark_conf={"spark.master": "local[9]"}
    )
    assert option(found, "--master") == "local[2]"
    assert "spark.master" not in conf_of(found)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "batch-7"),
        ({"name": "mine"}, "mine"),
        ({"conf": {"spark.app.name": "from conf"}}, "from conf"),
        ({"name": "mine", "conf": {"spark.app.name": "from conf"}}, "mine"),
    ],
)
def test_an_application_is_called_as_its_request_says(fields, name):
    assert option(submitted(Submission(**JAR, **fields)), "--name") == name


@pytest.mark.parametrize(
    ("fields", "settings", "heap"),
    [
        ({}, {}, "-Xmx1g"),
        ({}, {"driver_memory": "700m"}, "-Xmx700m"),
        ({}, {"driver_memory": "700m", "spark_conf": {"spark.driver.memory": "800m"}}, "-Xmx800m"),
        (
            {"conf": {"spark.driver.memory": "900"}},
            {"spark_conf": {"spark.driver.memory": "800m"}},
            "-Xmx900m",
        ),
        ({"driver_memory": "2GB", "conf": {"spark.driver.memory": "900"}}, {}, "-Xmx2g"),
    ],
)
def test_the_drivers_memory_is_that_of_the_process(fields, settings, heap):
    found = arguments(plan(Submission(**JAR, **fields), **settings))
    assert [part for part in found if part.startswith("-Xmx")] == [heap]


def test_the_drivers_options_are_those_of_the_process():
    conf = {
        "spark.driver.defaultJavaOptions": "-Da=1",
        "spark.driver.extraJavaOptions": "-Db='2 3' -XX:+UseSerialGC",
        "spark.driver.extraClassPath": "/opt/first.jar",
    }
    found = arguments(plan(Submission(**JAR, conf=conf)))
    virtual_machine = found[: found.index("org.apache.spark.deploy.SparkSubmit")]
    assert virtual_machine[-3:] == ["-Da=1", "-Db=2 3", "-XX:+UseSerialGC"]
    assert virtual_machine[:2] == ["-cp", "/opt/first.jar:/opt/spark/jars/*:/opt/spark/conf"]


@pytest.mark.parametrize("key", ["spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"])
def test_options_that_can_not_be_split_are_an_error(key):
    with pytest.raises(ValueError, match="quotation"):
        plan(Submission(**JAR, conf={key: "-Da='1"}))


@pytest.fixture
def surroundings(monkeypatch):
    """The service's own environment, with things that are none of a job's business."""
    import os

    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in {
        "PATH": "/usr/bin",
        "HOME": "/home/headland",
        "TZ": "Europe/Berlin",
        "KRB5CCNAME": "/run/cc",
        "HEADLAND_HOME": "/home/headland",
        "HEADLAND_CLIENT_SECRET": "secret",
        "HEADLAND_STORAGE_ACCOUNTS": '{"lake":{"options":{"account_key":"secret"}}}',
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AZURE_CLIENT_SECRET": "secret",
        "JAVA_TOOL_OPTIONS": "-javaagent:x",
        "SPARK_SUBMIT_OPTS": "-Dx=y",
        "PYTHONPATH": "/elsewhere",
        "LD_PRELOAD": "/elsewhere.so",
        "LC_ALL": "de_DE.ISO-8859-1",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("surroundings")
@pytest.mark.parametrize(("isolation", "home"), [("none", "/home/headland"), ("sandbox", str(RUN.temporary))])
def test_a_job_gets_nothing_of_the_services_environment_but_what_is_listed(isolation, home):
    environment = plan(Submission(**JAR), isolation=isolation).environment
    assert environment == {
        "PATH": "/usr/bin",
        "HOME": home,
        "TZ": "Europe/Berlin",
        "KRB5CCNAME": "/run/cc",
        "HEADLAND_RUN": KEY,
        "LC_ALL": "C.UTF-8" if sys.platform.startswith("linux") else "en_US.UTF-8",
        "JAVA_HOME": "/opt/java",
        "SPARK_HOME": "/opt/spark",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(RUN.temporary),
        "TMPDIR": str(RUN.temporary),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONUNBUFFERED": "1",
    }
    assert "secret" not in str(plan(Submission(**JAR)))


def test_the_python_is_the_settings():
    environment = plan(Submission(file="/app.py"), python="/opt/python3.13").environment
    assert environment["PYSPARK_PYTHON"] == environment["PYSPARK_DRIVER_PYTHON"] == "/opt/python3.13"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the variable's name is Linux's")
def test_native_libraries_are_found():
    environment = plan(Submission(**JAR, conf={"spark.driver.extraLibraryPath": "/opt/lib"})).environment
    assert environment["LD_LIBRARY_PATH"] == "/opt/lib"
