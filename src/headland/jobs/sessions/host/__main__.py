"""`python -m headland.jobs.sessions.host <run directory> [wait]`."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from headland.jobs.runner.run_directory import RECORD_SIZE
from headland.jobs.runner.token_endpoint import ENDPOINT_VARIABLES
from headland.jobs.sessions.host.answers import answer
from headland.jobs.sessions.host.journal import Journal
from headland.jobs.sessions.host.processes import Interpreter, Jvm
from headland.jobs.sessions.host.session import Session
from headland.jobs.sessions.host.standing import stand_ready
from headland.jobs.sessions.kinds import FIRST
from headland.jobs.sessions.run_folder import SessionFolder


async def run(directory: SessionFolder, *, wait: bool) -> int:
    """Be a session's host until it is over; the exit code. With `wait`, its processes are there before the session."""
    os.umask(0o077)
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    plan = directory.read(directory.plan)
    if plan is None:
        return 1
    jvm, interpreter = await _processes(plan, directory)
    if not wait:
        return await _host(directory, plan, jvm, interpreter, told)
    arguments = await stand_ready(jvm, interpreter)
    plan = directory.read(directory.plan)
    if arguments is None or plan is None:
        jvm.kill()
        interpreter.kill()
        await asyncio.gather(jvm.ended(), interpreter.ended())
        return 1
    await jvm.feed(arguments)
    return await _host(directory, plan, jvm, interpreter, told)


async def _processes(given: dict[str, Any], directory: SessionFolder) -> tuple[Jvm, Interpreter]:
    """The JVM, and the interpreter that makes the application."""
    said = {"_PYSPARK_DRIVER_CONN_INFO_PATH": str(directory.gateway)}
    jvm = await Jvm.start(given["jvm"], _environment(given) | said)
    return jvm, await Interpreter.start(given.get("walls", []), given["python"], _environment(given))


def _environment(given: dict[str, Any]) -> dict[str, str]:
    """What a plan says of the environment of its processes, and what this one was given by the runner for them."""
    passed_on = {name: os.environ[name] for name in ENDPOINT_VARIABLES if name in os.environ}
    return {**given["environment"], **passed_on}


async def _host(
    directory: SessionFolder, given: dict[str, Any], jvm: Jvm, waiting: Interpreter, told: asyncio.Event
) -> int:
    """Be the host of the session that `given` describes, with an interpreter that has not been told yet what for."""
    journal = Journal(directory.journal)
    journal.open()
    # A disk that is full by then must not keep the session from being up.
    reserved = directory.reserve(directory.ready, RECORD_SIZE)
    first = FIRST[given["kind"]]

    async def start(name: str) -> Interpreter:
        interpreter = (
            waiting
            if name == first
            else await Interpreter.start(given.get("walls", []), given["python"], _environment(given))
        )
        interpreter.tell(
            language=name,
            first=name == first,
            kind=given["kind"],
            gateway=str(directory.gateway),
            **given["interpreter"],
        )
        return interpreter

    def ready(application: dict[str, Any]) -> None:
        directory.commit(reserved, directory.ready, application)
        _notify(given["notify"], directory.path.name)

    session = Session(journal, start, first, ready, cancel_patience=given["cancel_patience"])
    with _listening(given["socket"]) as listener:
        server = await asyncio.start_unix_server(partial(answer, session), sock=listener)
        await session.begin()
        code = await _until_over(session, jvm, told)
        server.close()
    return code


async def _until_over(session: Session, jvm: Jvm, told: asyncio.Event) -> int:
    """Wait until there is a reason to end, and see the JVM end; the host's exit code."""
    over: dict[str, asyncio.Future[Any]] = {
        "jvm": asyncio.ensure_future(jvm.ended()),
        "told": asyncio.ensure_future(told.wait()),
        "failed": asyncio.ensure_future(session.failed.wait()),
    }
    await asyncio.wait(over.values(), return_when=asyncio.FIRST_COMPLETED)
    code = 0
    if over["jvm"].done():
        ended = over["jvm"].result()
        # A signal as shells have it.
        code = 128 - ended if ended < 0 else ended or 1
    elif over["failed"].done():
        code = 1
    session.stop()
    jvm.stop()
    # What ends after the loop is complained of in the session's log.
    await asyncio.gather(over["jvm"], session.gone())
    return code


@contextlib.contextmanager
def _listening(path: str) -> Iterator[socket.socket]:
    """The socket on which the service asks; for its owner alone, by the process's file mode."""
    Path(path).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        try:
            yield listener
        finally:
            Path(path).unlink(missing_ok=True)


def _notify(path: str, run_key: str) -> None:
    """Wake the controller; where there is none, the record in the run directory is enough."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        try:
            sender.sendto(run_key.encode(), path)
        except OSError:
            return


if __name__ == "__main__":
    sys.exit(asyncio.run(run(SessionFolder(Path(sys.argv[1])), wait=sys.argv[2:] == ["wait"])))
