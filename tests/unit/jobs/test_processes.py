"""Recognise a process for certain: by pid, start and boot, and by what descends from it or bears a mark."""

import json
import os
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator

import pytest

from headland.jobs.runner.processes import ProcessIdentity, boot_id, descendants, marked

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a program that runs until it is told something, or killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str, **options: object) -> "subprocess.Popen[bytes]":
        command = command or ("/bin/cat",)
        started.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options),
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def until_ended(pid: int) -> None:
    """Wait for a child to end, without collecting it: it stays a zombie."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_this_process_is_alive():
    me = ProcessIdentity.of(os.getpid())
    assert me.alive()
    assert me.pid == os.getpid()
    assert me.boot == boot_id()


def test_an_identity_survives_its_record():
    me = ProcessIdentity.of(os.getpid())
    again = ProcessIdentity.from_record(json.loads(json.dumps(me.record())))
    assert again.record() == me.record() == {"pid": os.getpid(), "start": me.start, "boot": me.boot}
    assert again.alive()


def test_a_child_is_alive_until_it_ends_collected_or_not(start):
    child = start()
    identity = ProcessIdentity.of(child.pid)
    assert identity.alive()
    child.kill()
    until_ended(child.pid)
    assert not identity.alive()
    assert not identity.send(signal.SIGTERM)
    child.wait()
    assert not identity.alive()
    assert not identity.send(signal.SIGTERM)


def test_nobody_has_an_identity_who_has_ended(start):
    child = start()
    child.kill()
    until_ended(child.pid)
    with pytest.raises(ProcessLookupError):
        ProcessIdentity.of(child.pid)
    child.wait()
    with pytest.raises(ProcessLookupError):
        ProcessIdentity.of(child.pid)


def test_a_signal_reaches_its_process(start):
    child = start()
    assert ProcessIdentity.of(child.pid).send(signal.SIGTERM)
    assert child.wait(20) == -signal.SIGTERM


@pytest.mark.parametrize("changed", ["start", "boot"])
def test_another_process_that_was_given_the_pid_is_left_alone(start, changed):
    child = start()
    record = ProcessIdentity.of(child.pid).record()
    stranger = ProcessIdentity.from_record({**record, changed: "1"})
    assert not stranger.alive()
    assert not stranger.send(signal.SIGKILL)
    assert child.communicate(b"still there\n", timeout=20) == (b"still there\n", None)
    assert child.returncode == 0


def test_two_processes_are_never_the_same(start):
    first, second = (ProcessIdentity.of(start().pid) for _ in range(2))
    assert first.pid != second.pid
    assert first.boot == second.boot


@pytest.mark.parametrize("name", [") R 1 (", "a b", "((", "))) Z 0"])
def test_a_programs_name_does_not_disturb(start, tmp_path, name):
    script = tmp_path / name
    script.write_text("#!/bin/sh\necho here; read line\n")
    script.chmod(0o755)
    child = start(str(script))
    assert child.stdout.readline() == b"here\n"
    assert ProcessIdentity.of(child.pid).alive()
    assert child.pid in descendants(os.getpid())


def test_descendants_are_found_children_before_their_own(start):
    # A shell whose child is a shell whose child waits; each says its pid.
    inner = "echo $$; sh -c 'echo $$; read line'"
    child = start("/bin/sh", "-c", f'echo $$; sh -c "{inner.replace("$", chr(92) + "$")}; :" <&0; :')
    pids = [int(child.stdout.readline()) for _ in range(3)]
    assert pids[0] == child.pid
    assert descendants(child.pid) == pids[1:]
    found = descendants(os.getpid())
    assert [pid for pid in found if pid in pids] == pids
    assert os.getpid() not in found


def test_a_process_without_children_has_no_descendants(start):
    assert descendants(start().pid) == []


def test_marked_processes_are_found_by_their_exact_mark(start):
    mark = uuid.uuid4().hex
    ours = start(env={"HEADLAND_RUN": mark, "OTHER": "x"})
    start(env={"HEADLAND_RUN": mark + "0"})
    start(env={"HEADLAND_RUN_": mark})
    start(env={"OTHER": f"HEADLAND_RUN={mark}"})
    assert marked("HEADLAND_RUN", mark) == [ours.pid]
    ours.kill()
    ours.wait()
    assert marked("HEADLAND_RUN", mark) == []
