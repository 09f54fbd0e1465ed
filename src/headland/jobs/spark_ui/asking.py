"""Ask Spark for one of its pages, and pass on what it answers, piece by piece."""

import asyncio
import http.client
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from headland.jobs.clusters.exchange import exchange
from headland.jobs.clusters.manager import ManagerUnreachableError
from headland.jobs.spark_ui.errors import HistoryBusyError, HistoryFailedError

#: Of a request what Spark gets: no cookie, no token.
_PASSED_ON = ("accept", "accept-language", "if-modified-since", "if-none-match")

#: Of an answer what the caller gets.
_PASSED_BACK = ("cache-control", "content-disposition", "content-type", "etag", "last-modified")

#: Characters that stand for themselves in a path, besides letters and digits (RFC 3986 section 3.3).
_PLAIN = "/:@!$&'()*+,;=~"

#: Pages that are asked for at once by a process; more wait.
_AT_ONCE = 8

#: Bytes of a piece.
_PIECE = 1 << 16

_threads = ThreadPoolExecutor(_AT_ONCE, "spark-ui")


@dataclass(frozen=True, slots=True)
class Source:
    """A Spark that serves pages, and where the caller finds them."""

    #: `http://host:port`.
    url: str
    #: What callers' paths have before those of Spark's.
    base: str
    #: What is to be shown for it.
    token: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What Spark answers."""

    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]


async def ask(source: Source, path: str, query: str, headers: Mapping[str, str]) -> Answered:
    """What `source` answers to GET. Its body has to be read to the end, or closed.

    Args:
        path: without the first slash, and not percent-encoded.
        headers: what the caller's request said, by names in lower case.

    Raises:
        HistoryBusyError: it does not answer yet.
        HistoryFailedError: it does not answer.
    """
    target = f"{source.url}/{quote(path, safe=_PLAIN)}" + (f"?{query}" if query else "")
    # The base by which Spark writes links (`org.apache.spark.ui.UIUtils.uiRoot`).
    said = {"X-Forwarded-Context": source.base}
    said |= {name: headers[name] for name in _PASSED_ON if name in headers}
    if source.token:
        said["Authorization"] = f"Bearer {source.token}"
    opened, loop = ExitStack(), asyncio.get_running_loop()
    try:
        answer = await loop.run_in_executor(
            _threads, lambda: opened.enter_context(exchange(target, headers=said))
        )
    except ManagerUnreachableError as error:
        if isinstance(error.__cause__, TimeoutError):
            raise HistoryBusyError(str(error)) from None
        raise HistoryFailedError(str(error)) from None
    kept = {name: text for name in _PASSED_BACK if (text := answer.headers.get(name)) is not None}
    if location := answer.headers.get("location"):
        kept["location"] = _inside(location, source.base)
    return Answered(answer.status, kept, _pieces(answer, opened))


async def _pieces(answer: http.client.HTTPResponse, opened: ExitStack) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    with opened:
        while piece := await loop.run_in_executor(_threads, answer.read, _PIECE):
            yield piece


def _inside(location: str, base: str) -> str:
    """Where Spark sends to, as a path of the caller's: never to another host."""
    parts = urlsplit(location)
    path = f"/{parts.path.lstrip('/')}"
    if path != base and not path.startswith(f"{base}/"):
        path = base + path
    return path + (f"?{parts.query}" if parts.query else "")
