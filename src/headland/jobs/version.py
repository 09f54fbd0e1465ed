"""`/version`: what Livy's clients compare."""

from starlette.requests import Request
from starlette.responses import Response

import headland
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.jobs.batches.access import Access
from headland.jobs.batches.wire import Version
from headland.security import Guard

#: The release whose protocol this is. pylivy compares the parts as text and takes 0.10 for older than 0.5.
PROTOCOL = "0.9.0"


def version_operation(guard: Guard, access: Access) -> Operation:
    """The operation, for one listener."""

    async def get_version(request: Request) -> Response:
        access.caller(await guard.authenticate(request))
        return json_answer(Version(version=f"{PROTOCOL}+headland.{headland.__version__}"))

    return Operation(
        "GET", "/version", get_version, "Version of the protocol.", {200: Answer("The version.", Version)}
    )
