"""The Spark calls of HDInsight's job client (Microsoft's SDK for Go) on the public base, with v1 tokens."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clients.livy.program import HERE, Program, batches_of, installed, is_gone, runs_once, trusting
from tests.serving import Served

pytestmark = pytest.mark.spark


def client(served: Served, folder: Path, file: str, *arguments: str, kill_at: str = "") -> Program:
    task: dict[str, Any] = {
        "endpoint": f"localhost:{served.port}",
        **{name: served.administrator[name] for name in ("tenantId", "clientId", "clientSecret")},
        "file": file,
        "arguments": arguments,
        "killAt": kill_at,
    }
    return Program([installed("hdinsight", "client"), json.dumps(task)], folder, trusting(served))


def test_success_failure_and_kill(livy: Served, field: str, tmp_path: Path, mark: Path) -> None:
    with (
        client(livy, tmp_path / "good", field, "count") as good,
        client(livy, tmp_path / "bad", field, "fail") as bad,
        client(livy, tmp_path / "killed", field, "stay", str(mark), kill_at="staying") as killed,
    ):
        seen, wrong, ended = good.answer(), bad.answer(), killed.answer()
    for each in (seen, wrong, ended):
        assert each["Status"] == 201
        assert each["Listed"]
        assert each["States"][0] == "starting"
        assert set(each["States"]) <= {"starting", "running", "success", "dead"}
        assert each["Failures"] == 0
        assert each["Total"] == len(each["Lines"])
        assert each["Beyond"] == []
        assert each["Deleted"] == "deleted"
        assert f"Session '{each['ID']}' not found." in each["After"]
        assert each["ID"] not in batches_of(livy)
    assert seen["States"][-1] == "success"
    assert seen["AppID"].startswith("local-")
    assert seen["Info"] == {"driverLogUrl": None, "sparkUiUrl": None, "executorLogUrls": None}
    assert "counted 42" in seen["Lines"]
    assert wrong["States"][-1] == "dead"
    assert "ValueError: no seed left" in wrong["Lines"]
    assert ended["States"][-1] == "running"
    assert is_gone(mark)


def test_restart(make_served: Callable[..., Served], tmp_path: Path, mark: Path) -> None:
    served = make_served()
    served.start()
    file = served.put(HERE / "field.py", "field.py")
    with client(served, tmp_path / "client", file, "stay", str(mark)) as waiting:
        runs_once(mark)
        waiting.says("state: running")
        served.kill()
        waiting.says("failed:")
        served.start()
        mark.touch()
        seen = waiting.answer()
    assert seen["States"] == ["starting", "running", "success"]
    assert seen["Failures"]
    assert {"staying", "leaving"} <= set(seen["Lines"])
    runs_once(mark)
