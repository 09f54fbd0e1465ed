"""Attempts of a job's program at what is not its own. Standard library only: it runs as a job, in whatever Python.

`stops` names the walls that each attempt must fail at, alone and together; without them it must succeed.
"""

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

NAMESPACES, LANDLOCK = "namespaces", "landlock"
BOTH = frozenset({NAMESPACES, LANDLOCK})
FIRST, SECOND = frozenset({NAMESPACES}), frozenset({LANDLOCK})

#: What all targets hold.
SECRET = "the key of the barn"

Targets = dict[str, Any]

_libc = ctypes.CDLL(None, use_errno=True)


class Attempt(NamedTuple):
    #: Raises OSError where it fails, or returns False.
    make: Callable[[Targets], object]
    stops: frozenset[str]
    #: For root alone without walls.
    root: bool = False


def _read(path: str) -> bool:
    with open(path, encoding="utf-8", errors="replace") as file:
        return bool(file.read(1 << 16))


def _holds(path: str) -> bool:
    with open(path, "rb") as file:
        return SECRET.encode() in file.read(1 << 16)


def _write(path: str, flags: int = os.O_WRONLY | os.O_APPEND) -> None:
    os.close(os.open(path, flags, 0o600))


def _make(path: str) -> None:
    _write(path, os.O_WRONLY | os.O_CREAT)
    os.unlink(path)


def _by_link(targets: Targets) -> bool:
    link = os.path.join(targets["work"], "link")
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(targets["secret"], link)
    return _holds(link)


def _by_hard_link(targets: Targets) -> bool:
    link = os.path.join(targets["work"], "hard")
    if os.path.lexists(link):
        os.unlink(link)
    os.link(targets["secret"], link)
    return _holds(link)


def _connect(family: int, kind: int, address: str) -> None:
    with socket.socket(family, kind) as connection:
        connection.settimeout(5)
        connection.connect(address)


def _done(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _trace(targets: Targets) -> None:
    # PTRACE_SEIZE stops nobody; PTRACE_DETACH needs it stopped, so the tracer's end does it.
    child = os.fork()
    if child == 0:
        os._exit(0 if _libc.ptrace(0x4206, targets["process"], 0, 0) == 0 else 1)
    if os.waitpid(child, 0)[1]:
        raise PermissionError("ptrace")


def _memory(targets: Targets) -> bool:
    with open(f"/proc/{targets['process']}/maps", encoding="utf-8") as maps:
        return bool(maps.readline())


def _processes(targets: Targets) -> bool:
    return str(targets["process"]) in os.listdir("/proc") and _holds_environment(targets, "cmdline")


def _holds_environment(targets: Targets, name: str) -> bool:
    return _read(f"/proc/{targets['process']}/{name}")


def _in_child(make: Callable[[], object]) -> None:
    """In a process of its own, which may be changed for good."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if make() is not False else 1)
        except BaseException:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise PermissionError("in a child")


def _new_user_namespace() -> None:
    _done(_libc.unshare(0x1000_0000))


def _mount(targets: Targets) -> None:
    _done(_libc.unshare(0x1000_0000 | 0x0002_0000))
    _done(_libc.mount(b"none", targets["work"].encode(), b"tmpfs", 0, None))


def _enter(targets: Targets) -> None:
    descriptor = os.open(f"/proc/{targets['process']}/ns/mnt", os.O_RDONLY)
    os.close(descriptor)


def _shared_memory(targets: Targets) -> None:
    _done(_libc.shmget(targets["shared_memory"], 0, 0))


def _descriptors(targets: Targets) -> bool:
    """Whether the process of a service has one open that shows the secret."""
    return any(
        os.readlink(f"/proc/{targets['process']}/fd/{name}")
        for name in os.listdir(f"/proc/{targets['process']}/fd")
    )


ATTEMPTS = {
    # Files.
    "read a file of the home": Attempt(lambda t: _holds(t["secret"]), BOTH),
    "read it by a path with dots": Attempt(
        lambda t: _holds(f"{t['work']}/../../../{os.path.relpath(t['secret'], t['home'])}"), BOTH
    ),
    "read it by a link of its own": Attempt(_by_link, BOTH),
    "read it by another name": Attempt(_by_hard_link, BOTH),
    "read it by the root of its process": Attempt(lambda t: _holds(f"/proc/self/root{t['secret']}"), BOTH),
    "list the home": Attempt(lambda t: os.path.basename(t["secret"]) in os.listdir(t["home"]), BOTH),
    "make a file in the home": Attempt(lambda t: _write(f"{t['home']}/made", os.O_WRONLY | os.O_CREAT), BOTH),
    "change a file of the home": Attempt(lambda t: _write(t["secret"]), BOTH),
    "rename a file of the home": Attempt(lambda t: os.rename(t["spare"], t["spare"]), BOTH),
    "list all runs": Attempt(
        lambda t: os.path.basename(t["other_run"]) in os.listdir(os.path.dirname(t["other_run"])), BOTH
    ),
    "read another run's launch": Attempt(lambda t: _read(f"{t['other_run']}/launch.json"), BOTH),
    "write into another run's work": Attempt(
        lambda t: _write(f"{t['other_run']}/work/made", os.O_WRONLY | os.O_CREAT), BOTH
    ),
    "read its own launch": Attempt(lambda t: _read(f"{t['run']}/launch.json"), BOTH),
    "make a record of its own run": Attempt(lambda t: _make(f"{t['run']}/made"), BOTH),
    "change its log": Attempt(lambda t: _write(f"{t['run']}/output.log", os.O_WRONLY | os.O_CREAT), BOTH),
    "change what is staged": Attempt(
        lambda t: _write(f"{t['run']}/staged/made", os.O_WRONLY | os.O_CREAT), BOTH
    ),
    "change its walls": Attempt(lambda t: _write(f"{t['run']}/walls", os.O_WRONLY | os.O_CREAT), BOTH),
    "read what others have below /tmp": Attempt(lambda t: _holds(t["temporary"]), BOTH),
    "read passwords of the system": Attempt(lambda _: _read("/etc/shadow"), BOTH, root=True),
    "write into a system folder": Attempt(
        lambda _: os.rmdir(os.mkdir("/usr/headland-was-here") or "/usr/headland-was-here"), BOTH, root=True
    ),
    "change the kernel": Attempt(
        lambda _: _write("/proc/sys/kernel/core_pattern", os.O_WRONLY), BOTH, root=True
    ),
    # Processes.
    "see a process of the service": Attempt(_processes, FIRST),
    "read its environment": Attempt(lambda t: _holds_environment(t, "environ"), BOTH),
    "read where its memory is": Attempt(_memory, BOTH),
    "look through its root": Attempt(lambda t: os.listdir(f"/proc/{t['process']}/root/"), BOTH),
    "read its folder": Attempt(lambda t: os.readlink(f"/proc/{t['process']}/cwd"), BOTH),
    "look at what it has open": Attempt(_descriptors, BOTH),
    "send it a signal": Attempt(lambda t: os.kill(t["process"], 0), BOTH),
    "trace it": Attempt(_trace, BOTH, root=True),
    "enter its namespace": Attempt(_enter, BOTH),
    # Sockets and memory.
    "call a socket of the home": Attempt(
        lambda t: _connect(socket.AF_UNIX, socket.SOCK_STREAM, t["socket"]), FIRST
    ),
    "call an abstract socket": Attempt(
        lambda t: _connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + t["abstract"]), SECOND
    ),
    "find shared memory": Attempt(_shared_memory, FIRST),
    # New rights.
    "have a namespace of its own": Attempt(lambda _: _in_child(_new_user_namespace), FIRST),
    "mount something": Attempt(lambda t: _in_child(lambda: _mount(t)), BOTH),
    "change its root": Attempt(lambda t: _in_child(lambda: os.chroot(t["work"])), BOTH, root=True),
    "be another user": Attempt(lambda _: _in_child(lambda: os.setuid(12345)), BOTH, root=True),
}


def run(targets: Targets) -> dict[str, str]:
    """What became of each attempt: nothing where it failed to fail, else why it did."""
    if "run" not in targets:
        folders = [
            f"{targets['home']}/{kind}/{os.environ['HEADLAND_RUN']}" for kind in ("batches", "sessions")
        ]
        targets = {**targets, "run": next(filter(os.path.isdir, folders))}
    targets = {**targets, "work": f"{targets['run']}/work"}
    outcomes = {}
    for name, attempt in ATTEMPTS.items():
        if attempt.root and os.geteuid() != 0:
            continue
        try:
            outcomes[name] = "" if attempt.make(targets) is not False else "nothing found"
        except (OSError, KeyError) as error:
            outcomes[name] = repr(error)
    return outcomes


def expected(walls: frozenset[str], outcomes: dict[str, str]) -> list[str]:
    """Where outcomes differ from what `walls` promise."""
    return [
        f"{name}: {outcome or 'it succeeded'}"
        for name, outcome in outcomes.items()
        if bool(outcome) != bool(ATTEMPTS[name].stops & walls)
    ]


if __name__ == "__main__" and sys.argv[-1].startswith("{"):
    print("ATTEMPTS " + json.dumps(run(json.loads(sys.argv[1]))), flush=True)
