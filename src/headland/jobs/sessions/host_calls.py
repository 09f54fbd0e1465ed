"""Ask a session's host: one connection a question."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from headland.jobs.sessions.frames import BrokenFrameError, encoded, receive_head, receive_now, send
from headland.jobs.sessions.store import SessionRow
from headland.jobs.wakeup import socket_address

#: Seconds after which a host is taken for stuck. What it has to ask its interpreters for may take longer.
PATIENCE = 10.0

#: Bytes that are read at once of what a host shows.
_PIECE = 1 << 18


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
    **details: Any,
) -> dict[str, Any]:
    """The host's answer to what it has nothing to show for.

    Raises:
        HostSilentError: as said.
    """
    return (await ask_long(run_directory, question, patience=patience, **details))[0]


async def ask_long(
    run_directory: Path,
    question: str,
    *,
    patience: float = PATIENCE,
    body: bytes | None = None,
    **details: Any,
) -> tuple[dict[str, Any], AsyncIterator[bytes] | None]:
    """The host's answer, and its body piece by piece as it comes, if it has one: each within `patience` seconds.

    Raises:
        HostSilentError: as said; while pieces come, too.
    """
    writer = None
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_unix_connection(socket_of(run_directory))
            send(writer, {"ask": question, **details}, body)
            head = await receive_head(reader)
            left = head.pop("body", 0)
            first = await reader.readexactly(min(left, _PIECE))
    except BaseException as error:
        if writer is not None:
            writer.close()
        if isinstance(error, OSError | TimeoutError | BrokenFrameError | asyncio.IncompleteReadError):
            raise HostSilentError(str(error)) from None
        raise
    if len(first) == left:
        writer.close()
    return head, _pieces(reader, writer, first, left - len(first), patience) if left else None


async def _pieces(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes, left: int, patience: float
) -> AsyncIterator[bytes]:
    try:
        yield first
        while left:
            try:
                async with asyncio.timeout(patience):
                    piece = await reader.read(min(left, _PIECE))
            except (OSError, TimeoutError) as error:
                raise HostSilentError(str(error)) from None
            if not piece:
                raise HostSilentError("it has gone")
            left -= len(piece)
            yield piece
    finally:
        writer.close()


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
