"""Faults: each strikes a scene whose jobs are held at their points, lets life go on, and is lifted again."""

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import httpx
from tests.faults import machine
from tests.faults.points import Scene
from tests.faults.sessions import UP
from tests.serving import Served, eventually

#: Where a program's process is there, or was, when the scene is set.
LAUNCHED = ("starting", "running", "finishing", "deleting")

#: Size of the disk of run directories where it is to be filled, in bytes.
DISK = 4 << 20

_DATABASE_FILES = ("headland.db", "headland.db-wal", "headland.db-shm")


def kill_web(scene: Scene) -> None:
    machine.kill(*machine.web(scene.served))
    recovered(scene.served)


def kill_controller(scene: Scene) -> None:
    machine.kill(machine.controller(scene.served))
    recovered(scene.served)


def kill_both(scene: Scene) -> None:
    machine.kill(machine.controller(scene.served), *machine.web(scene.served))
    recovered(scene.served)


def kill_all(scene: Scene) -> None:
    scene.served.kill()
    scene.served.start()


def kill_runner(scene: Scene) -> None:
    sessions = [scene.sessions.held[point] for point in UP]
    machine.kill(*_found(machine.runner(scene.batches[point].key) for point in (*LAUNCHED, "spawned")))
    machine.kill(*(held.process("headland.jobs.runner") for held in sessions))
    scene.let_controller_on()
    # Before the gates are opened: what is left of them is to be stopped, not to come to its end.
    for point in ("starting", "running", "finishing"):
        scene.served.wait(scene.batches[point].id)
    for held in sessions:
        eventually(lambda held=held: held.state == "dead", "the session is over")


def kill_jvm(scene: Scene) -> None:
    points = ("starting", "running", "deleting")
    machine.kill(*_found(machine.program(scene.batches[point].key) for point in points))
    sessions = scene.sessions.held
    machine.kill(*(sessions[point].process("bin/java") for point in ("starting", "idle")))
    # The place between JVM and runner.
    machine.kill(sessions["busy"].process("sessions.host"))


def disk_full(scene: Scene) -> None:
    """Run directories have a file system of their own here; see `small_disk`."""
    fillers = [scene.served.home / folder / "filler" for folder in ("batches", "sessions")]
    for filler in fillers:
        fill(filler)
    refused = {"code": "nobody runs this"}
    scene.sessions.held["idle"].notebook.post("/statements", refused, 503)
    scene.let_controller_on()
    scene.release()
    # What had been started ends, what is to be deleted goes, and what waits is not given up.
    for point in ("starting", "running", "finishing"):
        ended = scene.batches[point].directory.exit
        eventually(ended.exists, f"the batch that was {point} has ended")
    deleted = scene.batches["deleting"].id
    eventually(lambda: scene.row(deleted) is None, "a batch is deleted from a full disk")
    for point in ("accepted", "claimed", "spawned"):
        held = scene.batches[point]
        # With the deletion there is room again, for one or the other.
        eventually(
            lambda held=held: logged(scene, held.id) or held.directory.exit.exists(),
            f"the controller has tried the batch {point}",
        )
    for filler in fillers:
        filler.unlink()


def database_locked(scene: Scene) -> None:
    """Another process is in the middle of a write, and stays there for longer than anybody waits."""
    import sqlite3

    connection = sqlite3.connect(scene.served.home / "headland.db", isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        _unwritable(scene)
        connection.execute("ROLLBACK")
    finally:
        connection.close()


def database_read_only(scene: Scene) -> None:
    """As when a file system has found an error: no write succeeds, on open files neither."""
    files = [scene.served.home / name for name in _DATABASE_FILES]
    subprocess.run(["chattr", "+i", *files], check=True)
    try:
        _unwritable(scene)
    finally:
        subprocess.run(["chattr", "-i", *files], check=True)


def database_gone(scene: Scene) -> None:
    """Its folder is away for a while, as when a mount is lost, and nobody has a file of it open any more."""
    home, away = scene.served.home, scene.folder / "away"
    away.mkdir()
    for name in _DATABASE_FILES:
        (home / name).rename(away / name)
    machine.kill(machine.controller(scene.served), *machine.web(scene.served))
    eventually(lambda: _answers(scene.served), "the listeners are back")
    assert scene.served.private.get("/health/ready").status_code == 503
    assert scene.served.private.get("/batches").status_code == 503
    eventually(lambda: logged(scene, "controller.database_unavailable"), "the controller has missed it")
    scene.release()
    # Nobody has made an empty one in its place.
    assert not any((home / name).exists() for name in _DATABASE_FILES)
    for name in _DATABASE_FILES:
        (away / name).rename(home / name)
    recovered(scene.served)


def pid_reuse(scene: Scene) -> None:
    """Runners and programs die with the service, and another process gets the pids of all of them."""
    _bring_down(scene)
    _forge(scene, lambda record, pid: {**record, "pid": pid})
    scene.served.start()


def reboot(scene: Scene) -> None:
    """All processes die at once, and after the boot another one has the same pid and start time."""
    _bring_down(scene)
    _forge(
        scene,
        lambda record, pid: {
            **record,
            "pid": pid,
            "start": machine.stat(pid)[19],
            "boot": "00000000-0000-4000-8000-000000000000",
        },
    )
    scene.served.start()


FAULTS: dict[str, Callable[[Scene], None]] = {
    strike.__name__: strike
    for strike in (
        kill_web,
        kill_controller,
        kill_both,
        kill_all,
        kill_runner,
        kill_jvm,
        disk_full,
        database_locked,
        database_read_only,
        database_gone,
        pid_reuse,
        reboot,
    )
}


def recovered(served: Served) -> None:
    """Wait for the supervisor to have brought back whatever it was."""

    def ready() -> bool:
        with contextlib.suppress(httpx.TransportError):
            return (
                served.public.get("/health/ready").status_code == 200
                and served.private.get("/health/ready").status_code == 200
            )
        return False

    eventually(ready, "everything is up again")


def fill(filler: Path, spare: int = 0) -> None:
    """Take what a file system has left, but for `spare` bytes."""
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    if spare:
        os.truncate(filler, filler.stat().st_size - spare)


def _unwritable(scene: Scene) -> None:
    """What happens as long as no write succeeds: nothing is acknowledged, reads go on, jobs as well."""
    scene.let_controller_on()
    scene.release()
    for point in ("claimed", "spawned", "starting", "running", "finishing"):
        ended = scene.batches[point].directory.exit
        eventually(ended.exists, f"the batch that was {point} has ended")
    assert scene.served.submit(file="wasbs:///app.jar", className="org.example.Main").status_code == 503
    assert scene.served.state(scene.batches["running"].id) == "running"
    eventually(lambda: logged(scene, "batch.step_delayed"), "the controller has tried to tell of an end")


def _bring_down(scene: Scene) -> None:
    scene.served.kill()
    for directory in scene.directories:
        machine.kill(*machine.bearers(directory.path.name))


def _forge(scene: Scene, change: Callable[[dict[str, object], int], dict[str, object]]) -> None:
    """Have every record of a process name one that has nothing to do with Headland."""
    for directory in scene.directories:
        for file in (directory.runner, directory.application):
            if file.exists():
                stranger = scene.stranger()
                file.write_text(json.dumps(change(json.loads(file.read_text()), stranger.pid)))


def logged(scene: Scene, wanted: str | int) -> bool:
    """Whether the service's log tells of an event, or of trouble with a batch."""
    for line in scene.served.log.read_text().splitlines():
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if wanted == said.get("event") or (wanted == said.get("batch") and said["level"] != "info"):
                return True
    return False


def _answers(served: Served) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return (
            served.public.get("/health/live").status_code == 200
            and served.private.get("/health/live").status_code == 200
        )
    return False


def _found(pids: Iterable[int | None]) -> list[int]:
    """All of them: a scene that lacks one is not what it was to be."""
    found = list(pids)
    assert None not in found
    return [pid for pid in found if pid is not None]
