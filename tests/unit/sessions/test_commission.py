"""What sessions may be asked for."""

import json
from pathlib import Path

import pytest

from headland.http.validation import BodyInvalidError, decode_json
from headland.jobs.batches.errors import BatchError
from headland.jobs.batches.paths import PathRules
from headland.jobs.sessions.commission import (
    Commission,
    commission,
    decode,
    encode,
    session_kind,
    statement_kind,
)
from headland.jobs.sessions.durations import seconds_of
from headland.jobs.sessions.wire import SessionRequest
from headland.settings import JobsSettings, StorageSettings
from headland.storage import Storage


def asked(tmp_path: Path, body: dict[str, object], **settings: object) -> Commission:
    jobs = JobsSettings(**settings)
    paths = PathRules.of(jobs, Storage(StorageSettings(), tmp_path))
    return commission(decode_json(json.dumps(body).encode(), SessionRequest, lax=True), jobs, paths)


def test_every_field(tmp_path: Path) -> None:
    body = {
        "kind": "python",
        "proxyUser": "alice",
        "jars": ["wasbs:///a.jar"],
        "pyFiles": ["wasbs:///a.py"],
        "files": ["wasbs:///a.txt"],
        "archives": ["wasbs:///a.zip#env"],
        "driverMemory": "2g",
        "driverCores": "2",
        "executorMemory": 512,
        "executorCores": 1,
        "numExecutors": 3,
        "queue": "night",
        "name": "plough",
        "conf": {"spark.a": 1, "spark.jars": "wasbs:///b.jar"},
        "heartbeatTimeoutInSecond": 60,
        "ttl": "2h",
        "idleTimeout": 90_000,
    }
    found = asked(tmp_path, body, impersonation=True)
    submission = found.submission
    assert (found.kind, found.heartbeat_timeout) == ("pyspark", 60)
    assert (found.ttl_seconds, found.idle_seconds) == (7200.0, 90.0)
    assert (found.ttl, found.idle_timeout) == ("2h", "90000")
    assert submission.jars == ("wasbs:///a.jar", "wasbs:///b.jar")
    assert (submission.driver_memory, submission.driver_cores, submission.executor_memory) == ("2g", 2, "512")
    assert (submission.name, submission.queue, submission.proxy_user) == ("plough", "night", "alice")
    assert submission.conf == {"spark.a": "1"}
    assert submission.deploy_mode == "client"
    assert submission.paths == [
        "wasbs:///a.jar",
        "wasbs:///b.jar",
        "wasbs:///a.py",
        "wasbs:///a.txt",
        "wasbs:///a.zip#env",
    ]
    assert decode(encode(found)) == found


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"kind": "foo"}, "Invalid kind: foo"),
        ({"kind": "sparkr"}, "Invalid kind: sparkr: it is not served here"),
        ({"kind": "pyspark", "ttl": "abc"}, "Rejected, Reason: Invalid time string: abc"),
        ({"kind": "pyspark", "idleTimeout": "5x"}, 'Rejected, Reason: Invalid suffix: "x"'),
        ({"kind": "pyspark", "ttl": "-5s"}, "Rejected, Reason: Invalid value: -5"),
        ({"kind": "pyspark", "name": "12"}, "Invalid session name: 12"),
        ({"kind": "pyspark", "pyFiles": ["/etc/passwd"]}, "Local path /etc/passwd cannot be added"),
        ({"kind": "pyspark", "pyFiles": ["a.py"]}, "Path 'a.py' is not absolute"),
        ({"kind": "pyspark", "driverMemory": "much"}, "driverMemory 'much' is not an amount of memory"),
        (
            {"kind": "pyspark", "conf": {"spark.submit.deployMode": "cluster"}},
            "Blacklisted configuration values in session config: spark.submit.deployMode",
        ),
    ],
)
def test_refusals(tmp_path: Path, body: dict[str, object], text: str) -> None:
    with pytest.raises(BatchError) as raised:
        asked(tmp_path, body)
    assert text in raised.value.message


def test_the_driver_runs_here_whatever_batches_do(tmp_path: Path) -> None:
    settings = {"master": "spark://head:7077", "deploy_mode": "cluster", "blocked_conf": ()}
    assert asked(tmp_path, {"kind": "pyspark"}, **settings).submission.deploy_mode == "client"
    with pytest.raises(BatchError, match="runs on this node"):
        asked(tmp_path, {"kind": "pyspark", "conf": {"spark.submit.deployMode": "cluster"}}, **settings)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"file": "x"}, "file: unknown field"),
        ({"kind": 5}, "kind"),
        ({"heartbeatTimeoutInSecond": -1}, "heartbeatTimeoutInSecond"),
        ({"heartbeatTimeoutInSecond": "abc"}, "heartbeatTimeoutInSecond"),
        ({"numExecutors": 1.5}, "numExecutors"),
    ],
)
def test_bodies_that_have_another_shape(tmp_path: Path, body: dict[str, object], text: str) -> None:
    with pytest.raises(BodyInvalidError, match=text):
        asked(tmp_path, body)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500", 0.5),
        ("5us", 5e-6),
        ("7ms", 0.007),
        ("9s", 9),
        ("2m", 120),
        ("2min", 120),
        ("1H", 3600),
        ("1d", 86400),
    ],
)
def test_time_strings(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)


def test_kinds() -> None:
    assert session_kind("PySpark") == "pyspark"
    assert statement_kind(None, "pyspark") == "pyspark"
    assert statement_kind("python", "shared") == "pyspark"
    with pytest.raises(BatchError, match="Code type should be specified"):
        statement_kind(None, "shared")
    with pytest.raises(BatchError, match="Invalid kind: shared"):
        statement_kind("shared", "pyspark")
    with pytest.raises(BatchError, match="Invalid kind: cobol"):
        statement_kind("cobol", "pyspark")
