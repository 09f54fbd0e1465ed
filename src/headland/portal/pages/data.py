"""What the APIs answer, as it is, to who is signed in: each page links to the data that it shows."""

from contextlib import AsyncExitStack
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from headland.http.listener import OWN_POLICY
from headland.portal.inside import passed_on
from headland.portal.visits import Visit, page

#: Nothing that an answer may hold is run.
_POLICY = "sandbox; default-src 'none'"


async def show_data(visit: Visit) -> Response:
    path = "/" + quote(visit.path("path"), safe="/:@!$&'()*+,;=~")
    asked = visit.request.query_params
    opened = AsyncExitStack()
    answer = visit.inside.open(path, query={name: asked.getlist(name) for name in asked})
    answered = await opened.enter_async_context(answer)
    kind = answered.headers.get("content-type", "application/json")
    headers = {"cache-control": "no-store"}
    visit.request.scope[OWN_POLICY] = _POLICY
    if not kind.startswith("application/json"):
        headers["content-disposition"] = "attachment"
    return StreamingResponse(passed_on(opened, answered), answered.status, headers, media_type=kind)


PAGES = (page("GET", "/data/{path:path}", show_data),)
