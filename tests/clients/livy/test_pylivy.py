"""pylivy (on the package index: `livy`) on both listeners."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clients.livy.program import HERE, Program, batches_of, installed, is_gone, runs_once
from tests.serving import Served, eventually

pytestmark = pytest.mark.spark


def client(script: str, folder: Path, **asked: Any) -> Program:
    command = [installed("pylivy", "bin/python"), HERE / "drivers" / script, json.dumps(asked)]
    return Program(command, folder, {})


@pytest.mark.parametrize("way", [pytest.param("private", marks=pytest.mark.long), "public"])
def test_success_failure_and_kill(livy: Served, field: str, tmp_path: Path, mark: Path, way: str) -> None:
    administrator = livy.administrator
    ways: dict[str, dict[str, Any]] = {
        "private": {
            "url": livy.private_url,
            "secret": [administrator["clientId"], administrator["clientSecret"]],
            "arguments": ["count"],
        },
        "public": {
            "url": f"{livy.url}/livy",
            "token": livy.token(),
            "ca": str(livy.ca),
            "arguments": ["talk", "1"],
        },
    }
    with client(
        "pylivy_batches.py", tmp_path / "client", way=way, file=field, mark=str(mark), **ways[way]
    ) as running:
        seen = running.answer()
    assert not seen["legacy"]
    assert seen["newer"]
    assert set(seen["ids"]) <= set(seen["listed"])
    assert (seen["good"], seen["bad"], seen["running"]) == ("success", "dead", "running")
    assert (seen["application"] or "").startswith("local-") is (way == "private")
    assert {"private": "counted 42", "public": "furrow 0"}[way] in seen["log"]
    assert seen["last"] == seen["log"][-2:]
    assert seen["page"] == seen["log"][1:3]
    assert seen["beyond"] == []
    assert "ValueError: no seed left" in seen["cause"]
    assert seen["forgotten"]
    assert seen["afterwards"] == "batch session not found - it may have been shut down"
    assert is_gone(mark)
    assert not set(seen["ids"]) & set(seen["left"])
    status, message = seen["refusal"]
    assert status == 400
    assert "/etc/hosts.py" in message


def test_restart(make_served: Callable[..., Served], tmp_path: Path, mark: Path) -> None:
    served = make_served(server_private_authentication="none")
    served.start()
    file = served.put(HERE / "field.py", "field.py")
    with client(
        "pylivy_restart.py", tmp_path / "client", url=served.private_url, file=file, mark=str(mark)
    ) as waiting:
        runs_once(mark)
        served.kill()
        waiting.says("gave up:")
        served.start()
        mark.touch()
        seen = waiting.answer()
    assert seen["states"] == ["lost", "success"]
    assert {"staying", "leaving"} <= set(seen["log"])
    assert list(batches_of(served)) == [seen["id"]]
    runs_once(mark)


def test_sessions_of_every_kind_with_a_restart_in_the_middle(
    make_served: Callable[..., Served], tmp_path: Path, mark: Path
) -> None:
    served = make_served(server_private_authentication="none")
    served.start()
    with client("pylivy_sessions.py", tmp_path / "client", url=served.private_url, mark=str(mark)) as running:
        eventually(Path(f"{mark}.runs").exists, "the cell runs")
        served.kill()
        served.start()
        mark.touch()
        seen = running.answer()
    assert (seen["value"], seen["area"]) == ("2", 3.5)
    # A statement of several megabytes.
    assert seen["many"] == f"(60000, {sum(range(60_000))})"
    assert seen["error"] == ["ZeroDivisionError", "division by zero"]
    assert (seen["waited"], seen["runs"], seen["state"]) == ("through", "run\n", "idle")
    assert seen["scala"] == "val height: Int = 3\nval res0: Int = 6\n"
    assert seen["rows"] == [[0, "row 0"], [1, "row 1"], [2, "row 2"]]
    assert seen["sql"] == [["rye", 2, "2026-11-21"], ["oats", 3, "2026-11-21"]]
    assert served.private.get("/sessions").json()["total"] == 0
