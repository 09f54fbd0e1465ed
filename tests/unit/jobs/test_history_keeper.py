"""Who keeps the History Server, as a real process: nothing of it outlives anybody who was to see to its end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.serving import eventually

import headland
from headland.jobs.runner.processes import ProcessIdentity
from headland.jobs.spark_ui.folder import HistoryFolder

#: Says what a History Server says when it is up, and goes on.
UP = "echo INFO HistoryServer: Bound HistoryServer to 127.0.0.1, and started at http://localhost:12345; exec sleep 60"


@pytest.fixture
def folder(tmp_path) -> HistoryFolder:
    return HistoryFolder(tmp_path / "history")


@pytest.fixture
def keep(folder):
    """Start a keeper of a shell's program."""
    kept = []

    def keep(program: str = UP, *, idle: float = 60.0) -> subprocess.Popen[bytes]:
        folder.path.mkdir(exist_ok=True)
        folder.used.touch()
        environment = {"PATH": os.environ["PATH"]}
        plan = {
            "command": ["/bin/sh", "-c", program],
            "environment": environment,
            "configuration": {"a": "b"},
        }
        folder.write(folder.plan, {**plan, "patience": 20.0, "idle": idle})
        kept.append(
            subprocess.Popen(
                [sys.executable, "-S", "-m", "headland.jobs.spark_ui", str(folder.path)],
                env={"PYTHONPATH": str(Path(headland.__file__).parent.parent)},
                stdin=subprocess.PIPE,
            )
        )
        return kept[-1]

    yield keep
    for keeper in kept:
        keeper.kill()
        keeper.communicate()


def server(folder: HistoryFolder) -> ProcessIdentity:
    """The program, once it is up."""
    eventually(folder.server.exists, "it is up", 20, pause=0.01)
    return ProcessIdentity.from_record(folder.read(folder.jvm))


def is_empty(folder: HistoryFolder) -> bool:
    return not any(file.exists() for file in (folder.server, folder.jvm, folder.configuration, folder.logs))


def test_it_says_where_the_server_is_and_what_opens_it_to_its_owner_alone(folder, keep):
    keep()
    server(folder)
    record = folder.read(folder.server)
    assert record["port"] == 12345
    assert f"param.secretKey={record['key']}\n" in folder.configuration.read_text()
    for file in (folder.server, folder.configuration):
        assert file.stat().st_mode & 0o077 == 0
    second = keep()
    assert second.wait(20) == 0, "two keep one server"
    assert folder.read(folder.server) == record


def test_the_server_ends_with_the_service(folder, keep):
    keeper = keep()
    jvm = server(folder)
    keeper.stdin.close()
    assert keeper.wait(20) == 0
    assert not jvm.alive()
    assert is_empty(folder)
    assert not folder.failed.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's part of it is Linux's")
def test_the_server_ends_with_its_keeper_and_the_next_one_begins_anew(folder, keep):
    keeper = keep()
    jvm = server(folder)
    keeper.send_signal(signal.SIGKILL)
    keeper.wait()
    eventually(lambda: not jvm.alive(), "the server is gone", 20, pause=0.01)
    folder.server.unlink()
    keep()
    assert server(folder).record() != jvm.record()


def test_the_server_ends_when_nobody_looks(folder, keep):
    keeper = keep(f"echo $$ > {folder.path}/pid; {UP}", idle=0.01)
    assert keeper.wait(20) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder.path / "pid").read_text()), 0)
    assert is_empty(folder)


def test_it_says_why_there_is_no_server(folder, keep):
    keeper = keep("echo there is no room; exit 3")
    assert keeper.wait(20) == 0
    record = folder.read(folder.failed)
    assert record["reason"] == "there is no room"
    assert abs(record["at"] - time.time()) < 60
    assert is_empty(folder)
