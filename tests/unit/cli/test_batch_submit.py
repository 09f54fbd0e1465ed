import hashlib
import json
from pathlib import Path

import httpx
import pytest

from headland.cli.spark_options import in_livys_words

SUBMIT = ["batch", "submit", "wasbs:///jobs/app.jar", "--class", "org.example.Main"]


def test_everything_goes_over_in_livys_words(headland, stand_in):
    result = headland(
        *SUBMIT,
        *["--name", "nightly", "--conf", "spark.a=b=c", "--conf", "spark.empty="],
        *["--jar", "wasbs:///1.jar", "--jar", "wasbs:///2.jar", "--py-file", "wasbs:///3.py"],
        *["--file", "wasbs:///4.txt", "--archive", "wasbs:///5.zip#five"],
        *["--driver-memory", "2g", "--driver-cores", "1", "--executor-memory", "512m"],
        *["--executor-cores", "2", "--num-executors", "3", "--queue", "q", "--proxy-user", "bob"],
        *["in", "--", "--out", "-x"],
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == "Batch 0: starting.\n"
    (request,) = stand_in.sent("POST", "/livy/batches")
    assert request.headers["x-requested-by"] == "headland-cli"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {
        "file": "wasbs:///jobs/app.jar",
        "className": "org.example.Main",
        "name": "nightly",
        "args": ["in", "--out", "-x"],
        "conf": {"spark.a": "b=c", "spark.empty": ""},
        "jars": ["wasbs:///1.jar", "wasbs:///2.jar"],
        "pyFiles": ["wasbs:///3.py"],
        "files": ["wasbs:///4.txt"],
        "archives": ["wasbs:///5.zip#five"],
        "driverMemory": "2g",
        "driverCores": 1,
        "executorMemory": "512m",
        "executorCores": 2,
        "numExecutors": 3,
        "queue": "q",
        "proxyUser": "bob",
    }


def test_what_is_not_given_is_left_out():
    given = {"file": "wasbs:///a.py", "args": (), "conf": {}, "class_name": None, "jars": ()}
    assert in_livys_words(**given) == {"file": "wasbs:///a.py"}


def test_json_and_quiet(headland, stand_in):
    assert json.loads(headland(*SUBMIT, "--json").stdout) == stand_in.batches[0]
    assert headland(*SUBMIT, "--quiet").stdout == "1\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["wasbs:///app.jar"],
        ["wasbs:///app.jar", "--class", "X", "--conf", "novalue"],
        ["wasbs:///app.jar", "--class", "X", "--conf", "=value"],
        ["wasbs:///app.jar", "--class", "X", "--num-executors", "0"],
        ["wasbs:///app.jar", "--class", "X", "--follow", "--json"],
        [],
    ],
)
def test_wrong_usage_reaches_no_service(headland, stand_in, arguments):
    assert headland("batch", "submit", *arguments).exit_code == 2
    assert not stand_in.requests


def test_a_python_program_needs_no_class(headland):
    assert headland("batch", "submit", "wasbs:///app.py").exit_code == 0


def test_upload_brings_a_local_file_first(headland, stand_in):
    content = b"PK\x03\x04" * 500_000
    Path("my app.jar").write_bytes(content)
    path = f"uploads/{hashlib.sha256(content).hexdigest()[:16]}/my-app.jar"
    result = headland("batch", "submit", "my app.jar", "--class", "X", "--upload")
    assert result.exit_code == 0, result.output
    assert stand_in.blobs == {path: content}
    (put,) = stand_in.sent("PUT", f"/storage/-/-/{path}")
    (post,) = stand_in.sent("POST", "/livy/batches")
    assert stand_in.requests.index(put) < stand_in.requests.index(post)
    assert json.loads(post.content)["file"] == f"wasbs:///{path}"


def test_upload_of_a_file_that_is_not_there_submits_nothing(headland, stand_in):
    result = headland("batch", "submit", "no.jar", "--class", "X", "--upload")
    assert result.exit_code == 2
    assert result.stderr == "headland: no.jar can't be read (No such file or directory); check the path\n"
    assert not stand_in.requests


def test_a_refused_local_path_is_told_of_upload(headland):
    result = headland("batch", "submit", "app.jar", "--class", "X")
    assert result.exit_code == 1
    assert "Rejected: local path;" in result.stderr
    assert "--upload" in result.stderr


@pytest.mark.parametrize(("end", "code"), [("success", 0), ("dead", 1), ("killed", 3)])
def test_wait_ends_as_the_batch_did(headland, stand_in, end, code):
    stand_in.events = [lambda: None, lambda: stand_in.batches[0].update(state=end)]
    result = headland(*SUBMIT, "--wait")
    assert result.exit_code == code
    assert result.stdout == f"Batch 0: starting.\nBatch 0: {end}.\n"


def test_wait_with_json_prints_the_ended_batch_alone(headland, stand_in):
    stand_in.events = [lambda: stand_in.batches[0].update(state="success")]
    result = headland(*SUBMIT, "--wait", "--json")
    assert json.loads(result.stdout)["state"] == "success"


def test_follow_prints_the_log_and_ends_as_the_batch_did(headland, stand_in):
    def end():
        stand_in.logs[0] = ["stdout: ", "Pi is roughly 3.14", "\nstderr: ", "at last"]
        stand_in.batches[0]["state"] = "dead"

    stand_in.events = [lambda: stand_in.logs[0].append("stdout: "), end]
    result = headland(*SUBMIT, "--follow")
    assert result.exit_code == 1
    assert result.stdout == (
        "Batch 0: starting.\nstdout: \nPi is roughly 3.14\n\nstderr: \nat last\nBatch 0: dead.\n"
    )
    assert result.stderr == "headland: batch 0 ended dead; `headland batch log 0` tells why\n"


def test_each_submission_has_a_key_of_its_own(headland, stand_in):
    for _ in range(2):
        assert headland(*SUBMIT).exit_code == 0
    keys = {request.headers["idempotency-key"] for request in stand_in.sent("POST", "/livy/batches")}
    assert len(keys) == 2


def test_a_submission_of_which_nothing_was_heard_says_how_to_repeat_it(headland, stand_in):
    for lost in (httpx.ReadTimeout("no answer"), httpx.Response(502, text="")):
        stand_in.instead["POST", "/livy/batches"] = [lost]
        result = headland(*SUBMIT)
        key = stand_in.sent("POST", "/livy/batches")[-1].headers["idempotency-key"]
        assert result.exit_code != 0
        remedy = f"the same command with `--idempotency-key {key}` does not submit it twice\n"
        assert result.stderr.endswith(remedy)
        assert headland(*SUBMIT, "--idempotency-key", key).exit_code == 0
        assert stand_in.sent("POST", "/livy/batches")[-1].headers["idempotency-key"] == key


@pytest.mark.parametrize(
    "failed", [httpx.ConnectError("refused"), httpx.Response(503, json={"msg": "locked"})]
)
def test_a_submission_that_was_not_taken_for_certain_says_nothing_of_keys(headland, stand_in, failed):
    stand_in.instead["POST", "/livy/batches"] = [failed]
    assert "--idempotency-key" not in headland(*SUBMIT).stderr


@pytest.mark.parametrize("key", ["", "a b", "ä", 'a"', "a,b", "k" * 256])
def test_a_malformed_key_reaches_no_service(headland, stand_in, key):
    assert headland(*SUBMIT, "--idempotency-key", key).exit_code == 2
    assert not stand_in.requests
