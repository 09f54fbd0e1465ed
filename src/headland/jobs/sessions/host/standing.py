"""A host that stands ready: it has its processes, and waits for the session that they are for.

Its standard input is a socket to its runner (`headland.jobs.runner.waiting`): the host writes a byte there when its
JVM is ready, and is given the arguments of SparkSubmit, which it passes on to the JVM as they came.
"""

import asyncio
import os
import socket

from headland.jobs.sessions.host.processes import Interpreter, Jvm

#: Length of a number on either socket.
_NUMBER = 4


async def stand_ready(jvm: Jvm, interpreter: Interpreter) -> bytes | None:
    """The arguments of the session's application, as they came; None where there is not going to be a session, or one
    of the processes has ended.
    """
    told = asyncio.ensure_future(_arguments(jvm))
    ended = [asyncio.ensure_future(jvm.ended()), asyncio.ensure_future(interpreter.ended())]
    await asyncio.wait([told, *ended], return_when=asyncio.FIRST_COMPLETED)
    if told.done():
        return told.result()
    told.cancel()
    return None


async def _arguments(jvm: Jvm) -> bytes | None:
    """Say that the JVM is ready, and read what the runner says."""
    if not await jvm.ready():
        return None
    line = socket.socket(fileno=os.dup(0))
    reader, writer = await asyncio.open_unix_connection(sock=line)
    try:
        writer.write(b"\n")
        parts = [await reader.readexactly(_NUMBER)]
        for _ in range(int.from_bytes(parts[0], "big")):
            parts.append(await reader.readexactly(_NUMBER))
            parts.append(await reader.readexactly(int.from_bytes(parts[-1], "big")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None  # the runner is gone, and the controller with it
    finally:
        writer.close()
    return b"".join(parts)
