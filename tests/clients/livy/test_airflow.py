"""Airflow's Livy provider: the hook over every kind of connection, and operators that Airflow itself runs."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clients.livy.program import HERE, Program, batches_of, installed, is_gone, runs_once, trusting
from tests.serving import Served

# Airflow alone takes its time to start.
pytestmark = [pytest.mark.spark, pytest.mark.timeout(480)]

STATES = {"starting", "running", "success", "dead", "killed"}


@pytest.fixture(scope="session")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of an Airflow with a database of its own and the DAGs of these tests."""
    program, home = installed("airflow", "bin/airflow"), tmp_path_factory.mktemp("airflow")
    environment = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(home / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    }
    (home / "dags").mkdir()
    (home / "dags" / "livy.py").write_bytes((HERE / "drivers" / "airflow_dags.py").read_bytes())
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
    subprocess.run([program, "db", "migrate"], env=kept | environment, check=True, capture_output=True)
    return environment


def connection(**fields: Any) -> str:
    return json.dumps({"conn_type": "livy", **fields})


def by_secret(served: Served) -> str:
    """The private port with client id and secret: the connection form's own fields."""
    return connection(
        schema="http",
        host="127.0.0.1",
        port=served.private_port,
        login=served.administrator["clientId"],
        password=served.administrator["clientSecret"],
    )


def by_token(served: Served) -> str:
    """The public base with a token: the address whole in `host`, headers in `extra`."""
    headers = {"Authorization": f"Bearer {served.token()}", "X-Requested-By": "airflow"}
    return connection(host=f"{served.url}/livy", extra=headers)


def test_every_call_of_the_hook(
    livy: Served, field: str, airflow: dict[str, str], tmp_path: Path, mark: Path
) -> None:
    token = {"Authorization": f"Bearer {livy.token()}", "X-Requested-By": "airflow"}
    connections = {
        "private": by_secret(livy),
        "public": by_token(livy),
        "prefixed": connection(
            host="localhost", schema="https", port=livy.port, extra={"verify": str(livy.ca)}
        ),
        "credentials": connection(
            host=f"{livy.url}/livy",
            login=livy.administrator["clientId"],
            password=livy.administrator["clientSecret"],
            extra={"X-Requested-By": "airflow"},
        ),
    }
    ways: dict[str, dict[str, Any]] = {
        "private": {},
        "public": {},
        "prefixed": {"endpoint_prefix": "/livy", "extra_headers": token},
        "credentials": {"client_credentials": True},
    }
    tenant = livy.administrator["tenantId"]
    identity = {"TOKEN_URL": f"{livy.url}/{tenant}/oauth2/v2.0/token", "SCOPE": f"{livy.url}/.default"}
    environment = (
        airflow | identity | {f"AIRFLOW_CONN_{way.upper()}": text for way, text in connections.items()}
    )
    command = [
        installed("airflow", "bin/python"),
        HERE / "drivers" / "airflow_hook.py",
        json.dumps({"ways": ways, "file": field, "mark": str(mark)}),
    ]
    with Program(command, tmp_path / "client", environment | trusting(livy)) as hook:
        told = hook.answer()
    for way in ways:
        seen = told[way]
        good = seen["id"]
        assert set(seen["states"]) <= STATES
        assert seen["states"][-1] == "success"
        assert seen["batch"]["id"] == good
        assert seen["batch"]["name"] == f"airflow-{way}"
        assert seen["batch"]["owner"] == livy.administrator["clientId"]
        assert "appId" in seen["batch"]
        assert seen["page"]["from"] == 1
        assert len(seen["page"]["log"]) == 2
        assert seen["page"]["total"] > 250
        assert seen["beyond"] == {"id": good, "from": 100_000, "total": seen["page"]["total"], "log": []}
        # Each line once: a page ends where the next one begins.
        assert [line for line in seen["dumped"] if line.startswith("furrow ")] == [
            f"furrow {number}" for number in range(250)
        ]
        assert seen["deleted"] == seen["killed"] == {"msg": "deleted"}
        assert is_gone(Path(f"{mark}-{way}"))
        assert f"Session '{good}' not found." in seen["forgotten"]
        assert "Status code: 400" in seen["refused"]
        assert "/etc/hosts.py" in seen["refused"]


def run_dag(name: str, folder: Path, environment: dict[str, str]) -> Program:
    return Program([installed("airflow", "bin/airflow"), "dags", "test", name], folder, environment)


def test_operators_and_sensor_in_a_dag(
    livy: Served, field: str, probe: Path, airflow: dict[str, str], tmp_path: Path
) -> None:
    told, mark = tmp_path / "told", tmp_path / "mark"
    environment = airflow | {
        "FIELD": field,
        "ARCHIVE": livy.put(probe, "jars/probe.jar"),
        "MARK": str(mark),
        "TOLD": str(told),
        "AIRFLOW_CONN_LIVY_DEFAULT": by_token(livy),
    }
    before = batches_of(livy)
    with run_dag("outcomes", tmp_path / "client", environment | trusting(livy)) as running:
        running.ends()
    seen = {event["task"]: event for event in map(json.loads, told.read_text().splitlines())}
    after = {key: batch for key, batch in batches_of(livy).items() if key not in before}
    for task in ("submitted", "waited_for", "deferred"):
        assert seen[task]["error"] is None
        assert after[seen[task]["batch"]]["state"] == "success"
    assert seen["waited_for"]["application"].startswith("local-")
    assert "argument 2=<outcomes>" in livy.lines(seen["waited_for"]["batch"])
    assert after[seen["submitted"]["batch"]]["name"] == "outcomes"
    assert seen["watched"]["error"] is None
    for task in ("failed", "deferred_and_failed"):
        assert "did not succeed" in seen[task]["error"]
    assert sorted(batch["state"] for batch in after.values()) == ["dead", "dead", *["success"] * 3]
    assert "AirflowTaskTimeout" in seen["killed"]["error"]
    assert is_gone(Path(f"{mark}-killed"))


@pytest.mark.long
def test_restart(
    make_served: Callable[..., Served], airflow: dict[str, str], tmp_path: Path, mark: Path
) -> None:
    served = make_served(server_private_authentication="none")
    served.start()
    told = tmp_path / "told"
    environment = airflow | {
        "FIELD": served.put(HERE / "field.py", "field.py"),
        "ARCHIVE": "",
        "MARK": str(mark),
        "TOLD": str(told),
        "AIRFLOW_CONN_LIVY_DEFAULT": connection(host="127.0.0.1", port=served.private_port),
    }
    with run_dag("restart", tmp_path / "client", environment) as running:
        for task in ("insists", "resumes"):
            going = Path(f"{mark}-{task}")
            runs_once(going)
            refused = running.said.count("Connection refused")
            served.kill()
            running.says("Connection refused", refused + 1)
            served.start()
            going.touch()
        assert running.ends() == 0, running.said[-4000:]
    events = [json.loads(line) for line in told.read_text().splitlines()]
    tries = [(event["task"], event["error"]) for event in events]
    assert tries[0] == ("insists", None)
    assert all(task == "resumes" and "Connection refused" in error for task, error in tries[1:-1])
    assert len(tries) > 2
    assert tries[-1] == ("resumes", None)
    assert {key: batch["state"] for key, batch in batches_of(served).items()} == {0: "success", 1: "success"}
    for task in ("insists", "resumes"):
        runs_once(Path(f"{mark}-{task}"))
