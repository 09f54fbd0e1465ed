"""A batch's processes: killed with everything that descends from them, and left alone by the service's end."""

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.serving import Served, eventually

pytestmark = pytest.mark.spark

PROBE = "headland.tests.Probe"


def processes_of(run_key: str) -> dict[int, str]:
    """Processes that bear a batch's mark: pid → command line. Linux only, as the mark itself."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if f"HEADLAND_RUN={run_key}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
    return found


def java_of(run_key: str) -> int:
    """The JVM of a batch or session. What puts up walls has its command line, too."""
    (pid,) = [
        pid for pid, command in processes_of(run_key).items() if command.split()[0].endswith("/bin/java")
    ]
    return pid


#: In the place of seconds: until the test puts a file beside the mark.
RELEASED = "released"


def lingering(served: Served, jar: Path, mark: Path, until: int | str) -> tuple[int, str]:
    """A batch whose application is at work, with children, for some seconds or `RELEASED`; its id and run key."""
    body = {"file": served.put(jar, "jars/probe.jar"), "className": PROBE}
    batch = served.submit(**body, args=["linger", str(mark), str(until)]).json()["id"]
    eventually(lambda: "lingering" in served.lines(batch), "the application is at work")
    key = served.run_directory(batch).name

    def children() -> list[str]:
        # The shell that starts them, and what it has forked that is not yet what it will be, say its whole command.
        return [command.strip() for command in processes_of(key).values() if "sleep 600" in command]

    eventually(lambda: children() == ["sleep 600"] * 2, "it has two children")
    return batch, key


def test_deleting_a_running_batch_kills_its_whole_tree(served: Served, probe: Path, tmp_path: Path) -> None:
    batch, key = lingering(served, probe, tmp_path / "mark", 600)
    directory = served.run_directory(batch)
    answer = served.public.delete(f"/livy/batches/{batch}")
    assert (answer.status_code, answer.json()) == (200, {"msg": "deleted"})
    assert processes_of(key) == {}
    assert not directory.exists()
    assert served.public.get(f"/livy/batches/{batch}").status_code == 404
    with sqlite3.connect(served.home / "headland.db") as connection:
        assert connection.execute("SELECT count(*) FROM batch WHERE id = ?", (batch,)).fetchone() == (0,)
    connection.close()


def test_killing_a_batch_keeps_its_record(served: Served, probe: Path, tmp_path: Path) -> None:
    batch, key = lingering(served, probe, tmp_path / "mark", 600)
    answer = served.public.post(f"/livy/batches/{batch}/kill", headers={"X-Requested-By": "tests"})
    assert (answer.status_code, answer.json()) == (200, {"msg": "killed"})
    assert served.state(batch) == "killed"
    assert processes_of(key) == {}
    assert "\t diagnostics: The batch was killed on request." in served.lines(batch)
    again = served.public.post(f"/livy/batches/{batch}/kill", headers={"X-Requested-By": "tests"})
    assert again.status_code == 409
    served.public.delete(f"/livy/batches/{batch}")


def test_an_application_killed_from_outside_is_killed(served: Served, probe: Path, tmp_path: Path) -> None:
    batch, key = lingering(served, probe, tmp_path / "mark", 600)
    java = java_of(key)
    os.kill(java, signal.SIGKILL)
    assert served.wait(batch) == "killed"
    assert "\t diagnostics: The application was stopped from outside by signal 9 (SIGKILL)." in served.lines(
        batch
    )
    assert processes_of(key) == {}
    served.public.delete(f"/livy/batches/{batch}")


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_batch_goes_on_when_the_service_ends(
    make_served: Callable[..., Served], probe: Path, tmp_path: Path, how: str
) -> None:
    served = make_served()
    served.start()
    batch, key = lingering(served, probe, tmp_path / "mark", RELEASED)
    before = processes_of(key)
    if how == "stop":
        assert served.stop() == 0
    else:
        served.kill()
    assert processes_of(key) == before
    served.start()
    assert served.state(batch) == "running"
    (tmp_path / RELEASED).touch()
    assert served.wait(batch) == "success"
    lines = served.lines(batch)
    assert lines.count("lingered") == 1
    assert (tmp_path / "mark").read_text().count("run") == 1
    assert processes_of(key) == {}
    listed = served.public.get("/livy/batches").json()
    assert [item["id"] for item in listed["sessions"]] == [batch]


def test_a_batch_that_ended_while_the_service_was_away_is_reported(
    make_served: Callable[..., Served], probe: Path, tmp_path: Path
) -> None:
    served = make_served()
    served.start()
    batch, key = lingering(served, probe, tmp_path / "mark", RELEASED)
    directory = served.run_directory(batch)
    served.kill()
    (tmp_path / RELEASED).touch()
    eventually((directory / "exit.json").exists, "the runner puts the end on record without a service")
    served.start()
    assert served.wait(batch) == "success"
    assert (tmp_path / "mark").read_text().count("run") == 1
    assert processes_of(key) == {}


def test_a_batch_whose_runner_was_killed_is_dead_and_leaves_nothing(
    served: Served, probe: Path, tmp_path: Path
) -> None:
    batch, key = lingering(served, probe, tmp_path / "mark", 600)
    runner = next(pid for pid, command in processes_of(key).items() if "headland.jobs.runner" in command)
    os.kill(runner, signal.SIGKILL)
    assert served.wait(batch) == "dead"
    assert any("runner was killed" in line for line in served.lines(batch))
    eventually(lambda: processes_of(key) == {}, "nothing of it is left")
    assert (tmp_path / "mark").read_text().count("run") == 1
    served.public.delete(f"/livy/batches/{batch}")


def test_more_batches_than_may_run_wait_in_order(
    make_served: Callable[..., Served], probe: Path, tmp_path: Path
) -> None:
    served = make_served(jobs_max_running="1")
    served.start()
    first, _ = lingering(served, probe, tmp_path / "first", 600)
    body = {"file": served.put(probe, "jars/probe.jar"), "className": PROBE}
    second = served.submit(**body, args=["linger", str(tmp_path / "second"), "600"]).json()["id"]
    third = served.submit(**body, args=["linger", str(tmp_path / "third"), "600"]).json()["id"]
    fourth = served.submit(**body, args=["linger", str(tmp_path / "fourth"), "0"]).json()["id"]
    assert [served.state(batch) for batch in (second, third, fourth)] == ["starting"] * 3
    assert served.public.get(f"/livy/batches/{third}").json()["log"] == []
    # One that waits is deleted without ever having been started.
    assert served.public.delete(f"/livy/batches/{third}").status_code == 200
    assert served.public.delete(f"/livy/batches/{first}").status_code == 200
    served.wait(second, "running")
    assert served.state(fourth) == "starting"
    assert served.public.delete(f"/livy/batches/{second}").status_code == 200
    assert served.wait(fourth) == "success"
    assert not (tmp_path / "third").exists()
