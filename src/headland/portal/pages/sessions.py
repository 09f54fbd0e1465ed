"""Interactive sessions, and what was run in them."""

import asyncio
import re
from urllib.parse import quote, urlencode

from starlette.responses import Response

from headland.jobs.sessions.kinds import FIRST, INTERPRETERS, SHARED
from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import (
    API,
    Job,
    JobService,
    Statements,
    api_name,
    as_asked,
    is_about_environment,
)
from headland.portal.visits import Visit, page

_PATH = "/portal/sessions"

#: Sessions on a page.
_SIZE = 50

#: Fields of a new session, by what they have.
_TEXTS = ("kind", "name", "driver_memory", "executor_memory", "queue", "ttl", "idle_timeout")
_NUMBERS = ("num_executors", "executor_cores")
_LISTS = ("jars", "py_files", "files", "archives")

#: Those that stand first; the others are folded away until one is used.
_FIRST = frozenset({"kind", "name", "driver_memory", "environment"})

#: Refusals that name no field, by what they begin with.
_ABOUT = {
    "Invalid session name": "name",
    "Duplicate session name": "name",
    "Invalid kind": "kind",
    "Blacklisted configuration": "conf",
    "spark.": "conf",
}

#: What Livy says before a reason.
_WORDING = re.compile(r"^(Rejected, Reason: |requirement failed: )+")

#: Lines of the log of a session that has ended by itself.
_TAIL = 100

#: States in which a session takes code.
_UP = frozenset({"idle", "busy"})


async def list_sessions(visit: Visit) -> Response:
    start = visit.number("from")
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


async def show_start(visit: Visit) -> Response:
    return await _form(visit)


async def start(visit: Visit) -> Response:
    try:
        asked = as_asked(visit.form, _TEXTS, _NUMBERS, _LISTS)
        id_ = await JobService(visit.inside).start_session(asked)
    except RefusedError as error:
        return await _form(visit, error.status, error.message)
    return visit.go(f"{_PATH}/{id_}")


async def _form(visit: Visit, status: int = 200, problem: str = "") -> Response:
    problem = _WORDING.sub("", problem)
    wrong = _field_of(problem, visit.form)
    used = {name for name, value in visit.form.items() if value.strip()}
    return visit.show(
        "session_new.html",
        status,
        form=visit.form,
        kinds=FIRST,
        environments=await JobService(visit.inside).environments_offered(),
        problem=problem,
        wrong=wrong,
        opened=bool((used | {wrong} - {""}) - _FIRST),
    )


def _field_of(problem: str, form: dict[str, str]) -> str:
    """The field that a refusal is about; "" where it does not say."""
    if is_about_environment(problem, form):
        return "environment"
    for beginning, name in _ABOUT.items():
        if problem.startswith(beginning):
            return name
    for name in (*_TEXTS, *_NUMBERS, *_LISTS, "conf"):
        if re.match(rf"{api_name(name)}\b", problem):
            return name
    # What is wrong with a time or a URL is said with what was sent.
    for name in ("ttl", "idle_timeout", *_LISTS):
        if any(line.strip() and line.strip() in problem for line in form.get(name, "").split("\n")):
            return name
    return ""


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
        statements, refusal = Statements(0, []), error.message
    log = session.log
    if session.ended and session.failed:
        log = (await service.tail(id_, _TAIL, "sessions")).log
    at_work = any(one.state in {"waiting", "running", "cancelling"} for one in statements.statements)
    return await asyncio.to_thread(
        visit.show,
        "session_state.html" if visit.partial else "session.html",
        status,
        session=session,
        statements=statements.statements,
        more=statements.total_statements - len(statements.statements),
        refusal=refusal,
        phase=phase,
        log=log,
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
    page("GET", "/sessions/new", show_start),
    page("POST", "/sessions/new", start),
    page("GET", "/sessions/{session}", show_session),
    page("POST", "/sessions/{session}/statements", run),
    page("POST", "/sessions/{session}/statements/{statement}/cancel", cancel),
    page("POST", "/sessions/{session}/stop", stop),
    page("POST", "/sessions/{session}/delete", delete),
)
