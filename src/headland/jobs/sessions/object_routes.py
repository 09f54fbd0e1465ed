"""Jobs as serialized objects of Livy's own client library, which are not served: each route says so.

What such an object does is code of Livy's that would have to be in the driver (`livy.md` section 1.2, `submit-job` to
`jobs/{j}/cancel`). The other routes of that library are served.
"""

from starlette.requests import Request
from starlette.responses import Response

from headland.http.operations import Answer, Handler, Operation
from headland.jobs.batches.access import Caller, Right
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.errors import NotServedError
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statement_routes import session_of
from headland.security import Guard

_ROUTES = (
    ("POST", "submit-job", "submit_job", Right.MODIFY),
    ("POST", "run-job", "run_job", Right.MODIFY),
    ("GET", "jobs/{job}", "get_job", Right.VIEW),
    ("POST", "jobs/{job}/cancel", "cancel_job", Right.MODIFY),
)


def object_operations(sessions: Sessions, guard: Guard, *, requested_by: bool) -> list[Operation]:
    """The operations that are refused, for one listener."""
    guarded = guarding(guard, sessions.access, requested_by=requested_by)

    def refusing(name: str, right: Right) -> Handler:
        @guarded
        async def refuse(request: Request, caller: Caller) -> Response:
            sessions.find(session_of(request), caller, right)
            raise NotServedError(
                "Jobs as serialized objects of Livy's own client library are not served here; send code as a "
                "statement: POST /sessions/{id}/statements."
            )

        refuse.__name__ = name
        return refuse

    posted = [REQUESTED_BY, DO_AS] if requested_by else [DO_AS]
    return [
        Operation(
            method,
            f"/sessions/{{session_id}}/{path}",
            refusing(name, right),
            "Not served: objects of Livy's own client library.",
            {501: Answer("As said.", Message)},
            parameters=posted if method == "POST" else [DO_AS],
        )
        for method, path, name, right in _ROUTES
    ]
