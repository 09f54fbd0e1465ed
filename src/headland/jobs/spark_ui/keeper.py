"""The process that keeps the History Server: it starts it, and is its end.

It ends when nobody has looked for a while, when the History Server does, and when the service does, which holds the
other end of its standard input. The kernel ends the History Server should the keeper be killed (Linux; elsewhere the
next keeper does). Standard library and the runner's parts alone: it lives beside the service, and is to stay small.
"""

import contextlib
import ctypes
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from headland.jobs.runner.processes import ProcessIdentity
from headland.jobs.spark_ui.folder import HistoryFolder

#: Said by the History Server once it takes requests (`org.apache.spark.ui.WebUI`).
_BOUND = re.compile(rb"Bound HistoryServer to \S+, and started at http://\S+:(\d+)")

#: Bytes of what it said that are kept, to tell why it ended.
_KEPT = 16_384

#: Seconds between looks at whether anybody still looks.
_LOOK = 1.0

#: Seconds that a service which looks after the lock may hold it.
_LOCKED = 1.0

#: Lets nobody in who has not signed with the key (`org.apache.spark.ui.JWSFilter`): every user of the machine reaches
#: its loopback addresses.
_FILTER = "org.apache.spark.ui.JWSFilter"

_PR_SET_PDEATHSIG = 1


class _EndedError(Exception):
    """There is no History Server (any more); the message says why, where that is nobody's wish."""


def main() -> None:
    """Keep a History Server as the folder's plan says, unless somebody does already."""
    folder = HistoryFolder(Path(sys.argv[1]))
    if _take_lock(folder) is None:
        return
    _clear(folder)
    folder.failed.unlink(missing_ok=True)
    try:
        _keep(folder)
    except _EndedError as error:
        if str(error):
            folder.write(folder.failed, {"reason": str(error), "at": time.time()})
    finally:
        _clear(folder)


def _keep(folder: HistoryFolder) -> None:
    """
    Raises:
        _EndedError: it is over.
    """
    plan = folder.read(folder.plan) or {}
    for made in (folder.logs, folder.temporary):
        made.mkdir(mode=0o700)
    key = secrets.token_urlsafe(32)
    _configure(folder, plan, key)
    process = _start(plan)
    try:
        with contextlib.suppress(ProcessLookupError):  # it has ended already, and what it said tells why
            folder.write(folder.jvm, ProcessIdentity.of(process.pid).record())
        _follow(folder, process, key, float(str(plan["patience"])), float(str(plan["idle"])))
    finally:
        process.kill()
        process.wait()


def _follow(
    folder: HistoryFolder, process: "subprocess.Popen[bytes]", key: str, patience: float, idle: float
) -> None:
    output = process.stdout.fileno() if process.stdout is not None else -1
    deadline, said, bound = time.monotonic() + patience, b"", False
    while True:
        heard, _, _ = select.select([0, output], [], [], _LOOK)
        if 0 in heard and not os.read(0, 1):
            raise _EndedError
        if output in heard:
            piece = os.read(output, _KEPT)
            if not piece:
                raise _EndedError(_last_words(said))
            said = (said + piece)[-_KEPT:]
            if not bound and (found := _BOUND.search(said)) is not None:
                bound = True
                folder.use()
                folder.write(folder.server, {"port": int(found[1]), "key": key})
        if not bound and time.monotonic() > deadline:
            raise _EndedError(f"it was not there after {patience:.0f} seconds: {_last_words(said)}")
        if bound and time.time() - folder.last_used() > idle:
            raise _EndedError


def _configure(folder: HistoryFolder, plan: dict[str, object], key: str) -> None:
    given = plan["configuration"]
    configuration = {
        **(given if isinstance(given, dict) else {}),
        "spark.ui.filters": _FILTER,
        f"spark.{_FILTER}.param.secretKey": key,
    }
    descriptor = os.open(folder.configuration, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.writelines(f"{name}={said}\n" for name, said in configuration.items())


def _start(plan: dict[str, object]) -> "subprocess.Popen[bytes]":
    command, environment = plan["command"], plan["environment"]
    if not isinstance(command, list) or not isinstance(environment, dict):
        raise _EndedError("the plan can't be read")
    try:
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # This process has one thread, which is what makes code between fork and exec safe.
            preexec_fn=_die_with_parent if sys.platform.startswith("linux") else None,  # noqa: PLW1509
        )
    except OSError as error:
        raise _EndedError(str(error)) from None


def _die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends (Linux; prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _take_lock(folder: HistoryFolder) -> int | None:
    deadline = time.monotonic() + _LOCKED
    while (lock := folder.take_lock()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return lock


def _clear(folder: HistoryFolder) -> None:
    """Leave nothing of a History Server that is over, nor of one whose keeper was killed."""
    left = folder.read(folder.jvm)
    if left is not None:
        ProcessIdentity.from_record(left).send(signal.SIGKILL)
    for file in (folder.server, folder.jvm, folder.configuration):
        file.unlink(missing_ok=True)
    for made in (folder.logs, folder.temporary):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(made)


def _last_words(said: bytes) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return " | ".join(lines[-3:])[-1000:] or "it said nothing"
