"""Spark's pages over HTTP: additions to Livy's protocol."""

import re
from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from headland.http.answers import json_answer
from headland.http.operations import Answer, Handler, Operation, Parameter
from headland.jobs.batches.access import Access, Caller
from headland.jobs.batches.requests import reference_of
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, guarding
from headland.jobs.spark_ui.errors import HistoryBusyError
from headland.jobs.spark_ui.pages import SparkPages
from headland.jobs.spark_ui.run import Run
from headland.security import Guard

#: What a request is of, for a caller that may view it.
RunOf = Callable[[int | str, Caller], Run]

_BASE = Parameter(
    "X-Forwarded-Context",
    str,
    "Path below which the pages are to link to each other, where a proxy has them elsewhere.",
    place="header",
)
_PATH = re.compile(r"/[A-Za-z0-9/_.~%+-]*")

_COMING = "Spark's pages are being prepared; ask again in a second."


def spark_operations(
    pages: SparkPages, guard: Guard, access: Access, batches: RunOf, sessions: RunOf
) -> list[Operation]:
    """The operations, for one listener."""
    guarded = guarding(guard, access, requested_by=False)

    @guarded
    async def begin_spark_of_batch(request: Request, caller: Caller) -> Response:
        return await _begin(pages, request, batches(reference_of(request), caller))

    @guarded
    async def get_spark_of_batch(request: Request, caller: Caller) -> Response:
        return await _page(pages, request, batches(reference_of(request), caller))

    @guarded
    async def begin_spark_of_session(request: Request, caller: Caller) -> Response:
        return await _begin(pages, request, sessions(reference_of(request, "session_id"), caller))

    @guarded
    async def get_spark_of_session(request: Request, caller: Caller) -> Response:
        return await _page(pages, request, sessions(reference_of(request, "session_id"), caller))

    return [
        *_operations("/batches/{batch_id}", begin_spark_of_batch, get_spark_of_batch),
        *_operations("/sessions/{session_id}", begin_spark_of_session, get_spark_of_session),
    ]


def _operations(item: str, begin: Handler, page: Handler) -> list[Operation]:
    shared = {202: Answer("They are being prepared; ask again.", Message, {"Retry-After": "Seconds."})}
    return [
        Operation(
            "GET",
            f"{item}/spark",
            begin,
            "Where Spark's own pages begin, live or of the past.",
            {302: Answer("The first page.", headers={"Location": "Its path."}), **shared},
            parameters=[_BASE, DO_AS],
            addition=True,
        ),
        Operation(
            "GET",
            f"{item}/spark/{{path:path}}",
            page,
            "One of Spark's pages, of its scripts and styles, or of what its own REST API says.",
            {200: Answer("As Spark answers.", "text/html"), **shared},
            parameters=[_BASE, DO_AS],
            addition=True,
        ),
    ]


async def _begin(pages: SparkPages, request: Request, run: Run) -> Response:
    try:
        first = await pages.first(run)
    except HistoryBusyError:
        first = None
    if first is None:
        return _coming()
    return Response(status_code=302, headers={"location": f"{_base(request, '')}/{first}"})


async def _page(pages: SparkPages, request: Request, run: Run) -> Response:
    path, query = str(request.path_params["path"]), request.scope["query_string"].decode("latin-1")
    try:
        found = await pages.page(run, path, query, request.headers, _base(request, path))
    except HistoryBusyError:
        found = None
    if found is None:
        return _coming()
    return StreamingResponse(found.body, found.status, {"cache-control": "no-store", **found.headers})


def _base(request: Request, path: str) -> str:
    """What callers' paths have before those of Spark's."""
    forwarded = request.headers.get("x-forwarded-context", "")
    if _PATH.fullmatch(forwarded):
        return forwarded.rstrip("/")
    return quote(request.scope["path"].removesuffix(path).rstrip("/"))


def _coming() -> Response:
    return json_answer(Message(_COMING), 202, {"retry-after": "1"})
