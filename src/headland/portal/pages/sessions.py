"""Interactive sessions, and what was run in them."""

from urllib.parse import quote

from starlette.responses import Response

from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import API, JobService
from headland.portal.visits import Visit, page

_PATH = "/portal/sessions"

#: Sessions on a page.
_SIZE = 50


async def list_sessions(visit: Visit) -> Response:
    start = int(visit.asked("from")) if visit.asked("from").isdecimal() else 0
    found = await JobService(visit.inside).sessions({"from": str(start), "size": str(_SIZE)})
    return visit.show(
        "sessions.html",
        sessions=found.sessions,
        total=found.total,
        start=start,
        size=_SIZE,
        names=await Directory.of(visit.inside),
        said=visit.asked("said"),
        data=f"{API}/sessions?from={start}&size={_SIZE}",
    )


async def show_session(visit: Visit) -> Response:
    return await _session(visit)


async def run(visit: Visit) -> Response:
    try:
        await JobService(visit.inside).run(visit.path("session"), visit.form.get("code", ""))
    except RefusedError as error:
        return await _session(visit, error.status, error.message)
    return visit.go(f"{_PATH}/{quote(visit.path('session'))}")


async def stop(visit: Visit) -> Response:
    await JobService(visit.inside).stop(visit.path("session"))
    return visit.go(_PATH, "The session is stopped.")


async def _session(visit: Visit, status: int = 200, problem: str = "") -> Response:
    service, id_ = JobService(visit.inside), visit.path("session")
    session = await service.session(id_)
    try:
        statements, refusal = await service.statements(id_), ""
    except RefusedError as error:
        statements, refusal = [], error.message
    busy = not session.ended and (
        session.state != "idle" or any(one.state in {"waiting", "running"} for one in statements)
    )
    return visit.show(
        "session_state.html" if visit.partial else "session.html",
        status,
        session=session,
        statements=statements,
        refusal=refusal,
        busy=busy,
        names=await Directory.of(visit.inside),
        problem=problem,
        form=visit.form,
        said=visit.asked("said"),
        data=f"{API}/sessions/{session.id}",
    )


PAGES = (
    page("GET", "/sessions", list_sessions),
    page("GET", "/sessions/{session}", show_session),
    page("POST", "/sessions/{session}/statements", run),
    page("POST", "/sessions/{session}/stop", stop),
)
