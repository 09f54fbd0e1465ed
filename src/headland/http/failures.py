"""The answer to what nobody foresaw, in the form that all services but the token endpoint share."""

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer


def internal_error_text(request_id: object) -> str:
    """What a caller is told: nothing of the cause, but where an operator finds it."""
    return f"Internal error; the log has more under request id {request_id}."


async def internal_error(request: Request, _error: Exception) -> Response:
    """Starlette's handler for `Exception`. The error goes on to `RequestContext`, which logs it."""
    return json_answer({"msg": internal_error_text(getattr(request.state, "request_id", None))}, 500)
