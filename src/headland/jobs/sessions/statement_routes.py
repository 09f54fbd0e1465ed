"""The API of statements: HTTP to rule and back."""

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer, streamed_answer
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation, Parameter
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller
from headland.jobs.batches.errors import BadNumberError
from headland.jobs.batches.requests import check_json, number_of, reference_of
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.incoming import CodeReader
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statements import Statements
from headland.jobs.sessions.wire import (
    Candidates,
    CompletionRequest,
    Statement,
    StatementList,
    StatementRequest,
)
from headland.security import Guard

_ITEM = "/sessions/{session_id}"
_INACTIVE = {400: Answer("The session is not up, or the request is wrong.", Message)}
_PAGE = [
    Parameter("from", int, "Number of the first item."),
    Parameter("size", int, "How many items at the most."),
    Parameter("order", str, "`desc` for the newest first."),
]


def statement_operations(
    sessions: Sessions, statements: Statements, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations on what runs in sessions, for one listener."""
    guarded = guarding(guard, sessions.access, requested_by=requested_by)
    reader = CodeReader(max_body, sessions.settings.max_statement)

    @guarded
    async def list_statements(request: Request, caller: Caller) -> Response:
        newest_first = request.query_params.get("order", "").strip().lower() == "desc"
        start, size = number_of(request, "from") or 0, number_of(request, "size")
        page = await statements.page(session_of(request), start, size, caller, newest_first=newest_first)
        return await streamed_answer(page)

    @guarded
    async def create_statement(request: Request, caller: Caller) -> Response:
        check_json(request)
        row = statements.taking(session_of(request), caller)
        place = sessions.folder(row).new_upload()
        async with reader.read(request, place, "code", StatementRequest) as (wanted, code):
            number, statement = await statements.submit(row, code, wanted.kind)
        headers = {"location": f"/sessions/{row.id}/statements/{number}"}
        return await streamed_answer(statement, status=201, headers=headers)

    @guarded
    async def get_statement(request: Request, caller: Caller) -> Response:
        return await streamed_answer(await statements.get(session_of(request), number_in(request), caller))

    @guarded
    async def cancel_statement(request: Request, caller: Caller) -> Response:
        await statements.cancel(session_of(request), number_in(request), caller)
        return json_answer(Message("canceled"))

    @guarded
    async def interrupt_session(request: Request, caller: Caller) -> Response:
        await statements.interrupt(session_of(request), caller)
        return json_answer(Message("interrupted"))

    @guarded
    async def complete_code(request: Request, caller: Caller) -> Response:
        check_json(request)
        wanted = decode_json(await read_body(request, max_body), CompletionRequest, lax=True)
        found = await statements.complete(
            session_of(request), wanted.code, wanted.cursor, wanted.kind, caller
        )
        return json_answer(Candidates(found))

    posted = [REQUESTED_BY, DO_AS] if requested_by else [DO_AS]
    location = {"Location": "`/sessions/<session_id>/statements/<number>`"}
    return [
        Operation(
            "GET",
            f"{_ITEM}/statements",
            list_statements,
            "List statements, oldest first; all, unless `size` says how many.",
            {200: Answer("A page of statements.", StatementList)},
            parameters=[*_PAGE, DO_AS],
        ),
        Operation(
            "POST",
            f"{_ITEM}/statements",
            create_statement,
            "Run code.",
            {
                201: Answer("The statement.", Statement, location),
                500: Answer("The session is not up; `msg` names its state.", Message),
            },
            StatementRequest,
            parameters=posted,
        ),
        Operation(
            "GET",
            f"{_ITEM}/statements/{{number}}",
            get_statement,
            "Look at a statement.",
            {200: Answer("The statement.", Statement)},
            parameters=[DO_AS],
        ),
        Operation(
            "POST",
            f"{_ITEM}/statements/{{number}}/cancel",
            cancel_statement,
            "Stop a statement, its Spark jobs included, if there is one to stop.",
            {200: Answer("`canceled`: it is being stopped.", Message), **_INACTIVE},
            parameters=posted,
        ),
        Operation(
            "POST",
            f"{_ITEM}/interrupt",
            interrupt_session,
            "Stop the statement that runs, and those that wait.",
            {200: Answer("`interrupted`.", Message), **_INACTIVE},
            parameters=posted,
        ),
        Operation(
            "POST",
            f"{_ITEM}/completion",
            complete_code,
            "What code can go on with.",
            {200: Answer("The candidates.", Candidates), **_INACTIVE},
            CompletionRequest,
            parameters=posted,
        ),
    ]


def session_of(request: Request) -> int | str:
    """The session that the path names."""
    return reference_of(request, "session_id")


def number_in(request: Request) -> int:
    """The statement or job that the path names.

    Raises:
        BadNumberError: it names none.
    """
    found = reference_of(request, "number")
    if isinstance(found, str):
        raise BadNumberError(found[:80])
    return found
