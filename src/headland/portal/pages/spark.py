"""Spark's own pages of a batch or session, as the job service hands them on.

They are not ours: their scripts and styles stand in them, and what they show comes from programs. So their policy lets
them reach nothing but themselves: no other page of the portal can be read, opened, framed or sent a form from one.
"""

import re
from contextlib import AsyncExitStack
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from headland.http.listener import OWN_POLICY
from headland.portal.inside import RefusedError
from headland.portal.jobs import API
from headland.portal.visits import Page, Visit, page

#: Of the browser's request what the job service gets.
_PASSED_ON = ("accept", "accept-language", "if-modified-since", "if-none-match")

#: Of its answer what the browser gets.
_PASSED_BACK = (
    "cache-control",
    "content-disposition",
    "content-type",
    "etag",
    "last-modified",
    "location",
)

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?")


class _Handed(StreamingResponse):
    """An answer that is handed on while it comes."""

    def __init__(self, opened: AsyncExitStack, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened:
            await super().__call__(scope, receive, send)


def _shown(kind: str, section: str, one: str) -> Page:
    """The page that shows those of Spark for a run of a `kind`, which is called `one` and has its own page in a
    `section`.
    """

    async def show_spark(visit: Visit) -> Response:
        run = quote(visit.path("run"), safe="")
        path = quote(str(visit.request.path_params.get("path", "")))
        base = f"/portal/{section}/{run}/spark"
        try:
            answer = await _handed_on(visit, f"{API}/{kind}/{run}/spark" + (f"/{path}" if path else ""), base)
        except RefusedError:
            if visit.partial:
                # What keeps them from being shown is told by a whole page.
                return _elsewhere(base)
            raise
        title = f"{one} {visit.path('run')}"
        return answer or visit.show(
            "spark_coming.html", base=base, title=title, back=f"/portal/{section}/{run}"
        )

    return show_spark


async def _handed_on(visit: Visit, path: str, base: str) -> Response | None:
    """What the job service has at `path`, to be found below `base`; None while it is being prepared.

    Raises:
        RefusedError: there is no such thing, or it can't be had.
    """
    asked, said = visit.request.query_params, visit.request.headers
    headers = {name: said[name] for name in _PASSED_ON if name in said} | {"x-forwarded-context": base}
    query = {name: asked.getlist(name) for name in asked}
    async with AsyncExitStack() as opened:
        followed = await opened.enter_async_context(visit.inside.follow(path, query=query, headers=headers))
        if followed.status == 202:
            return None
        location = followed.headers.get("location")
        if location is not None and visit.partial:
            # A script asked whether they are ready: have the whole page go there.
            return _elsewhere(location)
        visit.request.scope[OWN_POLICY] = _policy(visit, base)
        back = {name: followed.headers[name] for name in _PASSED_BACK if name in followed.headers}
        return _Handed(opened.pop_all(), followed.pieces, followed.status, back)


def _elsewhere(path: str) -> Response:
    return Response(headers={"hx-redirect": path, "cache-control": "no-store"})


def _policy(visit: Visit, base: str) -> str:
    host = visit.request.headers.get("host", "")
    own = f"{host}{base}/" if _HOST.fullmatch(host) else "'none'"
    return (
        f"default-src 'none'; script-src {own} 'unsafe-inline'; style-src {own} 'unsafe-inline'; "
        f"img-src {own} data:; font-src {own} data:; connect-src {own}; form-action {own}; base-uri 'none'; "
        "frame-ancestors 'none'; sandbox allow-scripts allow-same-origin allow-forms allow-downloads"
    )


PAGES = tuple(
    page("GET", f"/{section}/{{run}}/spark{rest}", _shown(kind, section, one))
    for section, kind, one in (("jobs", "batches", "Batch"), ("sessions", "sessions", "Session"))
    for rest in ("", "/{path:path}")
)
