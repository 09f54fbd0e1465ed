"""Ask a session's host: one connection a question."""

import asyncio
import contextlib
import socket
from pathlib import Path
from typing import Any

from headland.jobs.sessions.frames import BrokenFrameError, encoded, receive, receive_now, send
from headland.jobs.sessions.store import SessionRow
from headland.jobs.wakeup import socket_address

#: Seconds after which a host is taken for stuck. What it has to ask its interpreters for may take longer.
PATIENCE = 10.0


class HostSilentError(Exception):
    """There is no host, or it does not answer."""


def socket_of(run_directory: Path) -> str:
    """Where the host of a session listens."""
    return socket_address(run_directory / "host.sock")


async def ask(
    run_directory: Path,
    question: str,
    *,
    patience: float = PATIENCE,
    body: bytes | None = None,
    **details: Any,
) -> dict[str, Any]:
    """The host's answer.

    Raises:
        HostSilentError: as said.
    """
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_unix_connection(socket_of(run_directory))
            try:
                send(writer, {"ask": question, **details}, body)
                found = await receive(reader)
            finally:
                writer.close()
    except (OSError, TimeoutError, BrokenFrameError) as error:
        raise HostSilentError(str(error)) from None
    if found is None:
        raise HostSilentError("it has gone")
    return found


async def about(run_directory: Path, row: SessionRow, *, patience: float = PATIENCE) -> dict[str, Any] | None:
    """What the host says of a session; None where there is no host, or it does not answer."""
    if row.claimed_by is None or row.finished_at is not None or row.unwanted:
        return None
    with contextlib.suppress(HostSilentError):
        return await ask(run_directory, "about", patience=patience)
    return None


def ask_now(run_directory: Path, question: str, **details: Any) -> dict[str, Any] | None:
    """The same for a thread that may wait; None where nobody answers."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
        contextlib.suppress(OSError, BrokenFrameError),
    ):
        connection.settimeout(PATIENCE)
        connection.connect(socket_of(run_directory))
        connection.sendall(encoded({"ask": question, **details}))
        return receive_now(connection)
    return None
