"""What the service may ask a session's host, over its socket: a message with `ask`, and one back.

An answer has `problem` where what was asked for can't be had.
"""

import asyncio
from typing import Any

from headland.jobs.sessions.frames import BrokenFrameError, encoded, receive
from headland.jobs.sessions.host.session import RefusedError, Session


async def answer(session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer what comes over one connection until it is closed."""
    try:
        while (message := await receive(reader)) is not None:
            writer.write(encoded(await _answered(session, message)))
            await writer.drain()
    except (BrokenFrameError, ConnectionError):
        pass  # whoever it was has gone, or is none of ours
    finally:
        writer.close()


async def _answered(session: Session, message: dict[str, Any]) -> dict[str, Any]:
    try:
        return await _found(session, message)
    except RefusedError as error:
        return {"problem": str(error)}
    except OSError as error:
        return {"problem": f"the session's journal can't be written: {error.strerror}", "failed": True}


async def _found(session: Session, message: dict[str, Any]) -> dict[str, Any]:
    match message["ask"]:
        case "about":
            return session.about()
        case "submit":
            statement = session.submit(message["kind"], message["code"])
            return {"statement": await session.shown(statement)}
        case "statement":
            found = session.find(message["id"])
            return {"statement": None if found is None else await session.shown(found)}
        case "statements":
            listed = session.statements[::-1] if message["newest_first"] else session.statements
            wanted = listed[message["start"] : message["stop"]]
            return {"total": len(listed), "statements": [await session.shown(each) for each in wanted]}
        case "cancel":
            session.cancel(message["id"])
        case "interrupt":
            session.interrupt()
        case "complete":
            found_names = await session.complete(message["kind"], message["code"], message["cursor"])
            return {"candidates": found_names}
        case "add":
            await session.add(message["what"], message["path"])
        case "touch":
            session.touch()
        case other:
            raise RefusedError(f"'{other}' is nothing that a session can be asked")
    return {}
