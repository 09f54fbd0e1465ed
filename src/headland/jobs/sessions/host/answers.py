"""What the service may ask a session's host, over its socket: a message with `ask`, and one back.

An answer has `problem` where what was asked for can't be had. Statements and jobs are its body: JSON as it goes over
HTTP, which the service hands on as it is.
"""

import asyncio
from pathlib import Path
from typing import Any

from headland.jobs.sessions.frames import BrokenFrameError, encoded, receive, send
from headland.jobs.sessions.host.journal import Part, size_of
from headland.jobs.sessions.host.session import RefusedError, Session, page


async def answer(session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer what comes over one connection until it is closed."""
    try:
        while (message := await receive(reader)) is not None:
            head, parts = await _answered(session, message)
            if parts is None:
                send(writer, head)
            else:
                writer.write(encoded({**head, "body": size_of(parts)}))
                for piece in session.pieces(parts):
                    writer.write(piece)
                    await writer.drain()
            await writer.drain()
    except (BrokenFrameError, ConnectionError):
        pass  # whoever it was has gone, or is none of ours
    finally:
        writer.close()


async def _answered(session: Session, message: dict[str, Any]) -> tuple[dict[str, Any], list[Part] | None]:
    try:
        return await _found(session, message)
    except RefusedError as error:
        return {"problem": str(error)}, None
    except OSError as error:
        return {"problem": f"the session's journal can't be written: {error.strerror}", "failed": True}, None


async def _found(session: Session, message: dict[str, Any]) -> tuple[dict[str, Any], list[Part] | None]:
    match message["ask"]:
        case "about":
            return session.about(), None
        case "submit":
            # Nothing here keeps the code, which may be long.
            statement = session.submit(
                message["list"],
                message["kind"],
                message.pop("body") if "body" in message else _read(message["file"]),
            )
            return {"id": statement.id}, await session.shown(statement)
        case "find":
            found = session.find(message["list"], message["id"])
            return {}, None if found is None else await session.shown(found)
        case "statements":
            listed = session.statements[::-1] if message["newest_first"] else session.statements
            wanted = listed[message["start"] : message["stop"]]
            return {}, page(len(listed), [await session.shown(each) for each in wanted])
        case "cancel":
            session.cancel(message["list"], message["id"])
        case "interrupt":
            session.interrupt()
        case "complete":
            found_names = await session.complete(message["kind"], message["code"], message["cursor"])
            return {"candidates": found_names}, None
        case "add":
            await session.add(message["what"], message["path"])
        case "touch":
            session.touch()
        case other:
            raise RefusedError(f"'{other}' is nothing that a session can be asked")
    return {}, None


def _read(file: str) -> bytes:
    return Path(file).read_bytes()
