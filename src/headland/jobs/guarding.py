"""Who asks? What comes before every handler of the job service."""

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from headland.http.operations import Handler, Parameter
from headland.jobs.batches.access import Access, Caller
from headland.jobs.batches.requests import check_accept, check_requested_by
from headland.security import Guard

#: A handler that is told who asks.
Guarded = Callable[[Request, Caller], Awaitable[Response]]

REQUESTED_BY = Parameter("X-Requested-By", str, "Any text that is not empty.", required=True, place="header")
DO_AS = Parameter("doAs", str, "User on whose behalf this is asked, where impersonation is on.")


def guarding(guard: Guard, access: Access, *, requested_by: bool) -> Callable[[Guarded], Handler]:
    """A decorator for handlers of one listener; `requested_by` says whether `X-Requested-By` is demanded there."""

    def guarded(handler: Guarded) -> Handler:
        @wraps(handler)
        async def authenticated(request: Request) -> Response:
            principal = await guard.authenticate(request)
            check_accept(request)
            if requested_by and request.method == "POST":
                check_requested_by(request)
            do_as = request.query_params.getlist("doAs") if access.impersonation else ()
            return await handler(request, access.caller(principal, do_as))

        return authenticated

    return guarded
