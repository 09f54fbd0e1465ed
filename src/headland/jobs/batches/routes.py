"""The batch API: HTTP to rule and back."""

from dataclasses import replace
from typing import Literal

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from headland.http.answers import encoded_answer, json_answer, streamed_answer
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation, Parameter
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller
from headland.jobs.batches.listing import included_of, wanted_of
from headland.jobs.batches.log import LogPage, as_text, streamed
from headland.jobs.batches.requests import (
    EVENTS,
    TEXT,
    check_json,
    idempotency_key_of,
    number_of,
    reference_of,
    wants_events,
    wants_text,
)
from headland.jobs.batches.service import Batches
from headland.jobs.batches.wire import (
    Batch,
    BatchList,
    BatchLog,
    BatchRequest,
    BatchState,
    BatchTimes,
    Message,
    Progress,
)
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.security import Guard

#: Livy's page sizes.
BATCHES_A_PAGE = 100
LINES_A_PAGE = 100

_FROM = Parameter("from", int, "Number of the first item.")
_SIZE = Parameter("size", int, "How many items at the most.")
_LAST_EVENT = Parameter(
    "Last-Event-ID",
    str,
    "Id of the last event that was seen; the next is the first one sent.",
    place="header",
)
#: Additions to Livy's protocol.
_WANTED = [
    Parameter("order", Literal["asc", "desc"], "`desc` for the newest first. An addition."),
    Parameter(
        "state", str, "Only batches in this state, or in one of several with commas between. An addition."
    ),
    Parameter("owner", str, "Only batches of the application with this client id. An addition."),
    Parameter("name", str, "Only batches of this name, ended ones included. An addition."),
    Parameter(
        "nameContains", str, "Only batches whose name has this in it, in capitals or not. An addition."
    ),
]
_INCLUDE = Parameter(
    "include",
    str,
    "What each record has beside Livy's members, with commas between: `times` as `/times` says it, and `progress` as "
    "`/progress` says it while the batch runs, else null. An addition.",
)
_KEY = Parameter(
    "Idempotency-Key",
    str,
    "A text of your own, new for each batch (a UUID): a submission that is repeated with it is taken once.",
    place="header",
)
_ITEM = "/batches/{batch_id}"


def batch_operations(batches: Batches, guard: Guard, *, requested_by: bool, max_body: int) -> list[Operation]:
    """The operations on batches, for one listener."""

    guarded = guarding(guard, batches.access, requested_by=requested_by)

    @guarded
    async def create_batch(request: Request, caller: Caller) -> Response:
        check_json(request)
        key = idempotency_key_of(request)
        body = decode_json(await read_body(request, max_body), BatchRequest, lax=True)
        batch_id, record = await batches.submit(body, caller, key)
        return encoded_answer(record, 201, {"location": f"/{batch_id}"})

    @guarded
    async def list_batches(request: Request, caller: Caller) -> Response:
        start = number_of(request, "from") or 0
        size = number_of(request, "size")
        page_size = BATCHES_A_PAGE if size is None else size
        wanted, include = wanted_of(request), included_of(request)
        if include:
            page = await batches.page_with(include, start, page_size, caller, wanted)
        else:
            page = batches.page(start, page_size, caller, wanted)
        if page is not None:
            return encoded_answer(page)
        return await streamed_answer(await batches.long_page(include, start, page_size, caller, wanted))

    @guarded
    async def get_batch(request: Request, caller: Caller) -> Response:
        include = included_of(request)
        if include:
            return encoded_answer(await batches.get_with(include, reference_of(request), caller))
        return encoded_answer(batches.get(reference_of(request), caller))

    @guarded
    async def get_batch_state(request: Request, caller: Caller) -> Response:
        batch_id, state = batches.state(reference_of(request), caller)
        return json_answer(BatchState(id=batch_id, state=state))

    @guarded
    async def get_batch_log(request: Request, caller: Caller) -> Response:
        reference, start, size = reference_of(request), number_of(request, "from"), number_of(request, "size")
        if wants_events(request):
            events = await batches.follow(reference, start or 0, request.headers.get("last-event-id"), caller)
            return StreamingResponse(events, media_type=EVENTS, headers={"cache-control": "no-store"})
        batch_id, page = await batches.log(reference, start, LINES_A_PAGE if size is None else size, caller)
        return await log_answer(request, batch_id, page)

    @guarded
    async def get_batch_progress(request: Request, caller: Caller) -> Response:
        return json_answer(await batches.progress(reference_of(request), caller))

    @guarded
    async def get_batch_times(request: Request, caller: Caller) -> Response:
        return json_answer(batches.times(reference_of(request)))

    @guarded
    async def kill_batch(request: Request, caller: Caller) -> Response:
        await batches.kill(reference_of(request), caller)
        return json_answer(Message("killed"))

    @guarded
    async def delete_batch(request: Request, caller: Caller) -> Response:
        await batches.delete(reference_of(request), caller)
        return json_answer(Message("deleted"))

    requested_by_header = [REQUESTED_BY] if requested_by else []
    operations = [
        Operation(
            "POST",
            "/batches",
            create_batch,
            "Submit a batch.",
            {
                201: Answer("The batch, in state `starting`.", Batch, {"Location": "`/<batch_id>`"}),
                409: Answer("The key was sent before for a batch that has been deleted since.", Message),
                422: Answer("The key was sent before with another submission.", Message),
            },
            BatchRequest,
            parameters=[*requested_by_header, _KEY],
        ),
        Operation(
            "GET",
            "/batches",
            list_batches,
            "List batches, oldest first.",
            {200: Answer("A page of batches.", BatchList)},
            parameters=[_FROM, _SIZE, *_WANTED, _INCLUDE],
        ),
        Operation(
            "GET",
            _ITEM,
            get_batch,
            "Look at a batch.",
            {200: Answer("The batch.", Batch)},
            parameters=[_INCLUDE],
        ),
        Operation(
            "DELETE",
            _ITEM,
            delete_batch,
            "Stop a batch if it runs, and forget it.",
            {200: Answer("`deleted`: its processes and files are gone.", Message)},
        ),
        Operation(
            "GET",
            f"{_ITEM}/state",
            get_batch_state,
            "The state alone.",
            {200: Answer("The state.", BatchState)},
        ),
        Operation(
            "GET",
            f"{_ITEM}/log",
            get_batch_log,
            "Lines of the log; without `from`, the last. With `Accept: text/plain`, as text. With `Accept: "
            "text/event-stream`, every line from `from` (0 without it) on as an event of its own until the batch has "
            "ended.",
            {200: Answer("A page of the log.", BatchLog)},
            parameters=[_FROM, _SIZE, _LAST_EVENT],
        ),
        Operation(
            "GET",
            f"{_ITEM}/progress",
            get_batch_progress,
            "Spark's stages and tasks, live.",
            {200: Answer("The progress.", Progress)},
            addition=True,
        ),
        Operation(
            "GET",
            f"{_ITEM}/times",
            get_batch_times,
            "When it was submitted, started and ended.",
            {200: Answer("The times.", BatchTimes)},
            addition=True,
        ),
        Operation(
            "POST",
            f"{_ITEM}/kill",
            kill_batch,
            "Stop a batch and keep its record.",
            {200: Answer("`killed`: it has ended.", Message), 409: Answer("It has ended already.", Message)},
            parameters=requested_by_header,
            addition=True,
        ),
    ]
    return [replace(operation, parameters=[*operation.parameters, DO_AS]) for operation in operations]


async def log_answer(request: Request, id_: int, page: LogPage) -> Response:
    """A page of a batch's or session's log, in the form that is asked for: a client may ask for all of a log, which may
    be larger than memory.
    """
    if wants_text(request):
        return await streamed_answer(iterate_in_threadpool(as_text(page)), f"{TEXT}; charset=utf-8")
    return await streamed_answer(iterate_in_threadpool(streamed(id_, page)))
