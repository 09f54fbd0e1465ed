"""The API of what a session is given while it is up: HTTP to rule and back."""

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import JSON_UTF8
from headland.http.bodies import media_type_of, read_body
from headland.http.forms import MULTIPART
from headland.http.operations import Answer, Handler, Operation
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller
from headland.jobs.batches.errors import UnsupportedMediaTypeError
from headland.jobs.batches.requests import check_json
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.additions import Additions
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statement_routes import session_of
from headland.jobs.sessions.statements import Statements
from headland.jobs.sessions.wire import AddRequest, FileForm, JarForm
from headland.security import Guard

_ITEM = "/sessions/{session_id}"
_INACTIVE = {400: Answer("The session is not up, or the request is wrong.", Message)}

#: What a session can be given, and what that is in words.
_ADDED = {"jar": "an archive", "pyfile": "a Python module or archive", "file": "a file"}


def addition_operations(
    sessions: Sessions, statements: Statements, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations that give a session archives and files, for one listener."""
    additions = Additions(sessions, statements)
    guarded = guarding(guard, sessions.access, requested_by=requested_by)

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

    posted = [REQUESTED_BY, DO_AS] if requested_by else [DO_AS]
    return [
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
    ]
