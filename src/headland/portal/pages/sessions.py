"""Interactive sessions, and what was run in them."""

from urllib.parse import quote, urlencode

from starlette.responses import Response

from headland.jobs.sessions.kinds import INTERPRETERS, SHARED
from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import API, Job, JobService
from headland.portal.visits import Visit, page

_PATH = "/portal/sessions"

#: Sessions on a page.
_SIZE = 50

#: States in which a session takes code.
_UP = frozenset({"idle", "busy"})


async def list_sessions(visit: Visit) -> Response:
    start = int(visit.asked("from")) if visit.asked("from").isdecimal() else 0
    name = visit.asked("name").strip()
    asked = {"order": "desc", "from": str(start), "size": str(_SIZE)} | (
        {"nameContains": name} if name else {}
    )
    found = await JobService(visit.inside).sessions(asked)
    return visit.show(
        "sessions.html",
        sessions=found.sessions,
        total=found.total,
        start=start,
        size=_SIZE,
        name=name,
        names=await Directory.of(visit.inside),
        said=visit.said,
        data=f"{API}/sessions?{urlencode(asked)}",
    )


async def show_session(visit: Visit) -> Response:
    return await _session(visit)


async def run(visit: Visit) -> Response:
    code, kind = visit.form.get("code", ""), visit.form.get("kind", "")
    try:
        await JobService(visit.inside).run(visit.path("session"), code, kind)
    except RefusedError as error:
        return await _session(visit, error.status, error.message)
    return visit.go(f"{_PATH}/{quote(visit.path('session'))}")


async def cancel(visit: Visit) -> Response:
    await JobService(visit.inside).cancel(visit.path("session"), visit.path("statement"))
    return visit.go(f"{_PATH}/{quote(visit.path('session'))}", "The statement is being stopped.")


async def stop(visit: Visit) -> Response:
    await JobService(visit.inside).stop(visit.path("session"))
    return visit.go(f"{_PATH}/{quote(visit.path('session'))}", "The session is stopped.")


async def delete(visit: Visit) -> Response:
    await JobService(visit.inside).delete_session(visit.path("session"))
    return visit.go(_PATH, "The session is deleted.")


async def _session(visit: Visit, status: int = 200, problem: str = "") -> Response:
    service, id_ = JobService(visit.inside), visit.path("session")
    try:
        session = await service.session(id_)
    except RefusedError as error:
        if visit.partial and error.status == 404:
            return visit.show("session_gone.html")
        raise
    phase = _phase(session)
    if visit.partial and visit.asked("seen") != phase:
        # What can be done with it is another thing now: have the whole page come anew.
        return Response(status_code=204, headers={"hx-refresh": "true", "cache-control": "no-store"})
    try:
        statements, refusal = await service.statements(id_), ""
    except RefusedError as error:
        statements, refusal = [], error.message
    at_work = any(one.state in {"waiting", "running", "cancelling"} for one in statements)
    return visit.show(
        "session_state.html" if visit.partial else "session.html",
        status,
        session=session,
        statements=statements,
        refusal=refusal,
        phase=phase,
        live=not session.ended and (session.state != "idle" or at_work),
        kinds=INTERPRETERS if session.kind == SHARED else (),
        names=await Directory.of(visit.inside),
        problem=problem,
        form=visit.form,
        said=visit.said,
        data=f"{API}/sessions/{session.id}",
    )


def _phase(session: Job) -> str:
    """Which part of its life it is in: what can be done with it follows from that."""
    if session.ended:
        return "ended"
    if session.state in _UP:
        return "up"
    return "going" if session.state == "shutting_down" else "coming"


PAGES = (
    page("GET", "/sessions", list_sessions),
    page("GET", "/sessions/{session}", show_session),
    page("POST", "/sessions/{session}/statements", run),
    page("POST", "/sessions/{session}/statements/{statement}/cancel", cancel),
    page("POST", "/sessions/{session}/stop", stop),
    page("POST", "/sessions/{session}/delete", delete),
)
