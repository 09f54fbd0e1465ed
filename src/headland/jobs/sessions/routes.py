"""The session API: HTTP to rule and back."""

from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import JSON_UTF8, json_answer, streamed_answer
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation, Parameter
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller
from headland.jobs.batches.requests import check_json, number_of
from headland.jobs.batches.routes import LINES_A_PAGE, log_answer
from headland.jobs.batches.wire import BatchLog, Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.addition_routes import addition_operations
from headland.jobs.sessions.listing import wanted_of
from headland.jobs.sessions.object_routes import object_operations
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statement_routes import session_of, statement_operations
from headland.jobs.sessions.statements import Statements
from headland.jobs.sessions.wire import Session, SessionList, SessionRequest, SessionState
from headland.security import Guard

#: Livy's page size.
SESSIONS_A_PAGE = 100

_PAGE = [
    Parameter("from", int, "Number of the first item."),
    Parameter("size", int, "How many items at the most."),
    DO_AS,
]
#: Additions to Livy's protocol.
_WANTED = [
    Parameter("order", Literal["asc", "desc"], "`desc` for the newest first. An addition."),
    Parameter(
        "nameContains", str, "Only sessions whose name has this in it, in capitals or not. An addition."
    ),
]
_ITEM = "/sessions/{session_id}"


def session_operations(
    sessions: Sessions, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations on sessions and on what runs in them, for one listener."""
    guarded = guarding(guard, sessions.access, requested_by=requested_by)
    statements = Statements(sessions)

    @guarded
    async def create_session(request: Request, caller: Caller) -> Response:
        check_json(request)
        wanted = decode_json(await read_body(request, max_body), SessionRequest, lax=True)
        session = await sessions.create(wanted, caller)
        return json_answer(session, 201, {"location": f"/sessions/{session.id}"})

    @guarded
    async def list_sessions(request: Request, caller: Caller) -> Response:
        start, size = number_of(request, "from") or 0, number_of(request, "size")
        page_size = SESSIONS_A_PAGE if size is None else size
        return await streamed_answer(sessions.page(start, page_size, caller, wanted_of(request)))

    @guarded
    async def get_session(request: Request, caller: Caller) -> Response:
        return json_answer(await sessions.get(session_of(request), caller))

    @guarded
    async def get_session_state(request: Request, caller: Caller) -> Response:
        session_id, state = await sessions.state(session_of(request), caller)
        return json_answer(SessionState(session_id, state))

    @guarded
    async def get_session_log(request: Request, caller: Caller) -> Response:
        start, size = number_of(request, "from"), number_of(request, "size")
        wanted = LINES_A_PAGE if size is None else size
        session_id, page = await sessions.log(session_of(request), start, wanted, caller)
        return await log_answer(request, session_id, page)

    @guarded
    async def connect_session(request: Request, caller: Caller) -> Response:
        return json_answer(await sessions.connect(session_of(request), caller))

    @guarded
    async def stop_session(request: Request, caller: Caller) -> Response:
        await sessions.stop(session_of(request), caller)
        return Response(status_code=204, media_type=JSON_UTF8)

    @guarded
    async def delete_session(request: Request, caller: Caller) -> Response:
        await sessions.delete(session_of(request), caller)
        return json_answer(Message("deleted"))

    posted = [REQUESTED_BY, DO_AS] if requested_by else [DO_AS]
    location = {"Location": "`/sessions/<session_id>`"}
    return [
        Operation(
            "POST",
            "/sessions",
            create_session,
            "Start a session.",
            {201: Answer("The session, in state `starting`.", Session, location)},
            SessionRequest,
            parameters=posted,
        ),
        Operation(
            "GET",
            "/sessions",
            list_sessions,
            "List sessions, oldest first.",
            {200: Answer("A page of sessions.", SessionList)},
            parameters=[*_PAGE, *_WANTED],
        ),
        Operation(
            "GET",
            _ITEM,
            get_session,
            "Look at a session.",
            {200: Answer("The session.", Session)},
            parameters=[DO_AS],
        ),
        Operation(
            "DELETE",
            _ITEM,
            delete_session,
            "End a session, and forget it.",
            {200: Answer("`deleted`: its processes and files are gone.", Message)},
            parameters=[DO_AS],
        ),
        Operation(
            "GET",
            f"{_ITEM}/state",
            get_session_state,
            "The state alone.",
            {200: Answer("The state.", SessionState)},
            parameters=[DO_AS],
        ),
        Operation(
            "GET",
            f"{_ITEM}/log",
            get_session_log,
            "Lines of the log; without `from`, the last. With `Accept: text/plain`, as text.",
            {200: Answer("A page of the log.", BatchLog)},
            parameters=_PAGE,
        ),
        Operation(
            "POST",
            f"{_ITEM}/stop",
            stop_session,
            "End a session and keep its record.",
            {204: Answer("It has ended.")},
            parameters=posted,
        ),
        Operation(
            "POST",
            f"{_ITEM}/connect",
            connect_session,
            "Look at a session, whose idle time counts anew from here on.",
            {200: Answer("The session.", Session)},
            parameters=posted,
        ),
        *statement_operations(sessions, statements, guard, requested_by=requested_by, max_body=max_body),
        *addition_operations(sessions, statements, guard, requested_by=requested_by, max_body=max_body),
        *object_operations(sessions, statements, guard, requested_by=requested_by, max_body=max_body),
    ]
