"""The API of statements and of what else a session is asked for while it is up: HTTP to rule and back."""

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import JSON_UTF8, json_answer
from headland.http.bodies import media_type_of, read_body
from headland.http.forms import MULTIPART
from headland.http.operations import Answer, Handler, Operation, Parameter
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller, Right
from headland.jobs.batches.errors import BadNumberError, UnsupportedMediaTypeError
from headland.jobs.batches.requests import check_json, number_of, reference_of
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.additions import Additions
from headland.jobs.sessions.errors import NotServedError
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statements import Statements
from headland.jobs.sessions.wire import (
    AddRequest,
    Candidates,
    CompletionRequest,
    FileForm,
    JarForm,
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

#: What a session can be given by URL, and what that is in words.
_ADDED = {"jar": "an archive", "pyfile": "a Python module or archive", "file": "a file"}


def statement_operations(
    sessions: Sessions, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations on what runs in sessions, for one listener."""
    statements = Statements(sessions)
    additions = Additions(sessions, statements)
    guarded = guarding(guard, sessions.access, requested_by=requested_by)

    @guarded
    async def list_statements(request: Request, caller: Caller) -> Response:
        newest_first = request.query_params.get("order", "").strip().lower() == "desc"
        start, size = number_of(request, "from") or 0, number_of(request, "size")
        total, found = await statements.page(
            session_of(request), start, size, caller, newest_first=newest_first
        )
        return json_answer({"total_statements": total, "statements": found})

    @guarded
    async def create_statement(request: Request, caller: Caller) -> Response:
        check_json(request)
        wanted = decode_json(await read_body(request, max_body), StatementRequest, lax=True)
        session_id, statement = await statements.submit(
            session_of(request), str(wanted.code), wanted.kind, caller
        )
        location = f"/sessions/{session_id}/statements/{statement['id']}"
        return json_answer(statement, 201, {"location": location})

    @guarded
    async def get_statement(request: Request, caller: Caller) -> Response:
        return json_answer(await statements.get(session_of(request), _number_of(request), caller))

    @guarded
    async def cancel_statement(request: Request, caller: Caller) -> Response:
        await statements.cancel(session_of(request), _number_of(request), caller)
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

    def adding(what: str) -> Handler:
        @guarded
        async def add(request: Request, caller: Caller) -> Response:
            check_json(request)
            wanted = decode_json(await read_body(request, max_body), AddRequest, lax=True)
            await additions.add(session_of(request), what, wanted.uri, caller)
            return Response(status_code=200, media_type=JSON_UTF8)

        add.__name__ = f"add_{what}"
        return add

    def uploading(what: str) -> Handler:
        @guarded
        async def upload(request: Request, caller: Caller) -> Response:
            media_type, parameters = media_type_of(request)
            if media_type != MULTIPART:
                raise UnsupportedMediaTypeError(f"Content-Type must be {MULTIPART}, not '{media_type[:80]}'.")
            boundary = parameters.get("boundary", "")
            await additions.upload(session_of(request), what, request.stream(), boundary, caller)
            return Response(status_code=200, media_type=JSON_UTF8)

        upload.__name__ = f"upload_{what}"
        return upload

    def refusing(name: str) -> Handler:
        @guarded
        async def refuse(request: Request, caller: Caller) -> Response:
            sessions.find(session_of(request), caller, Right.MODIFY)
            raise NotServedError(
                "Jobs as serialized objects of Livy's own client library are not served here; send code as a "
                "statement: POST /sessions/{id}/statements."
            )

        refuse.__name__ = name.replace("-", "_")
        return refuse

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
        *(
            Operation(
                "POST",
                f"{_ITEM}/add-{what}",
                adding(what),
                f"Give a session {summary} by its URL.",
                {200: Answer("The application has it."), **_INACTIVE},
                AddRequest,
                parameters=posted,
            )
            for what, summary in _ADDED.items()
        ),
        *(
            Operation(
                "POST",
                f"{_ITEM}/upload-{what}",
                uploading(what),
                f"Send {summary} to a session, as the form's part `{'jar' if what == 'jar' else 'file'}`.",
                {200: Answer("The application has it."), **_INACTIVE},
                JarForm if what == "jar" else FileForm,
                media_types=[MULTIPART],
                parameters=posted,
            )
            for what, summary in _ADDED.items()
        ),
        *(
            Operation(
                "POST",
                f"{_ITEM}/{name}",
                refusing(name),
                "Not served: objects of Livy's own client library.",
                {501: Answer("As said.", Message)},
                parameters=posted,
            )
            for name in ("submit-job", "run-job")
        ),
    ]


def session_of(request: Request) -> int | str:
    """The session that the path names."""
    return reference_of(request, "session_id")


def _number_of(request: Request) -> int:
    """The statement that the path names.

    Raises:
        BadNumberError: it names none.
    """
    found = reference_of(request, "number")
    if isinstance(found, str):
        raise BadNumberError(found[:80])
    return found
