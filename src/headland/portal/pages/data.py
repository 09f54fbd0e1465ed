"""What the APIs answer, as it is, to who is signed in: each page links to the data that it shows."""

from urllib.parse import quote

from starlette.responses import Response

from headland.http.listener import OWN_POLICY
from headland.portal.visits import Visit, page

#: Nothing that an answer may hold is run.
_POLICY = "sandbox; default-src 'none'"


async def show_data(visit: Visit) -> Response:
    path = "/" + quote(visit.path("path"), safe="/:@!$&'()*+,;=~")
    asked = visit.request.query_params
    answered = await visit.inside.ask("GET", path, query={name: asked.getlist(name) for name in asked})
    kind = answered.headers.get("content-type", "application/json")
    headers = {"cache-control": "no-store"}
    visit.request.scope[OWN_POLICY] = _POLICY
    if not kind.startswith("application/json"):
        headers["content-disposition"] = "attachment"
    return Response(answered.body, answered.status, headers, media_type=kind)


PAGES = (page("GET", "/data/{path:path}", show_data),)
