"""An id for each request: in its answer, and in every line that is logged meanwhile."""

import re
from contextvars import ContextVar
from random import getrandbits

#: Of the request that is being answered.
REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)

#: A caller's own id is taken over if it can't disturb a log.
PLAIN_ID = re.compile(rb"[A-Za-z0-9._\-]{1,128}")


def new_id() -> str:
    """In the form of a UUID. It is no secret, and a UUID's own making takes five times as long."""
    text = f"{getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
