"""Batches: the list of them, and one with its progress and log."""

import uuid
from contextlib import AsyncExitStack
from urllib.parse import quote, urlencode

from starlette.responses import Response, StreamingResponse

from headland.portal.directory import Directory
from headland.portal.inside import RefusedError, passed_on
from headland.portal.jobs import API, STATES, JobService, as_asked, is_about_environment
from headland.portal.pages.job_events import state_of
from headland.portal.visits import Visit, page

_PATH = "/portal/jobs"

#: Batches on a page.
SIZE = 50
#: Fields of a submission, by what they have.
_TEXTS = ("file", "class_name", "name", "queue", "driver_memory", "executor_memory")
_NUMBERS = ("num_executors", "executor_cores")
_LISTS = ("args", "jars", "py_files", "files")
#: Lines of the log that a page has from the start.
TAIL = 200
#: A batch that is to be stopped has ended by itself, or takes its time: either is news, and no fault of the person's.
_TOO_LATE_OR_SLOW = frozenset({409, 503})


async def list_jobs(visit: Visit) -> Response:
    query = {name: visit.asked(name) for name in ("state", "owner", "name") if visit.asked(name).strip()}
    order = "asc" if visit.asked("order") == "asc" else "desc"
    start = visit.number("from")
    asked = {**query, "order": order, "from": str(start), "size": str(SIZE)}
    if part := asked.pop("name", ""):
        asked["nameContains"] = part
    if asked.get("owner") == "me":
        asked["owner"] = visit.person.principal.client_id
    found = await JobService(visit.inside).batches(asked)
    return visit.show(
        "jobs_table.html" if visit.partial else "jobs.html",
        jobs=found.sessions,
        total=found.total,
        start=start,
        size=SIZE,
        query=query,
        order=order,
        states=STATES,
        live=any(not job.ended for job in found.sessions),
        link=lambda **changes: _link(query, order, start, **changes),
        names=await Directory.of(visit.inside),
        said=visit.said,
        data=f"{API}/batches?{urlencode(asked)}",
    )


async def show_submission(visit: Visit) -> Response:
    return await _form(visit, {"key": str(uuid.uuid4())})


async def submit(visit: Visit) -> Response:
    form = visit.form
    try:
        asked = as_asked(form, _TEXTS, _NUMBERS, _LISTS)
        id_ = await JobService(visit.inside).submit(asked, form.get("key", ""))
    except RefusedError as error:
        return await _form(visit, form, error.status, error.message)
    return visit.go(f"{_PATH}/{id_}")


async def _form(visit: Visit, form: dict[str, str], status: int = 200, problem: str = "") -> Response:
    return visit.show(
        "job_new.html",
        status,
        form=form,
        problem=problem,
        wrong="environment" if is_about_environment(problem, form) else "",
        environments=await JobService(visit.inside).environments_offered(),
    )


async def show_job(visit: Visit) -> Response:
    service, id_ = JobService(visit.inside), visit.path("job")
    job = await service.batch(id_)
    try:
        log, refusal = await service.tail(id_, TAIL), ""
    except RefusedError as error:
        log, refusal = None, error.message
    return visit.show(
        "job.html",
        log=log,
        refusal=refusal,
        said=visit.said,
        data=f"{API}/batches/{job.id}",
        **await state_of(service, job, await Directory.of(visit.inside)),
    )


async def download_log(visit: Visit) -> Response:
    service, job = JobService(visit.inside), await JobService(visit.inside).batch(visit.path("job"))
    opened = AsyncExitStack()
    log = await opened.enter_async_context(service.text(str(job.id)))
    headers = {
        "cache-control": "no-store",
        "content-disposition": f'attachment; filename="batch-{job.id}.log"',
    }
    return StreamingResponse(passed_on(opened, log), 200, headers, "text/plain; charset=utf-8")


async def kill_job(visit: Visit) -> Response:
    said = "The batch is stopped."
    try:
        await JobService(visit.inside).kill(visit.path("job"))
    except RefusedError as error:
        if error.status not in _TOO_LATE_OR_SLOW:
            raise
        said = error.message
    return visit.go(f"{_PATH}/{quote(visit.path('job'))}", said)


async def delete_job(visit: Visit) -> Response:
    await JobService(visit.inside).delete(visit.path("job"))
    return visit.go(_PATH, "The batch is deleted.")


def _link(query: dict[str, str], order: str, start: int, /, **changes: object) -> str:
    """The list's address with something changed; what is as it always is is left out."""
    values = {**query, "order": order, "from": start, **changes}
    usual = {"order": "desc", "from": 0}
    kept = {name: value for name, value in values.items() if value not in {"", None, usual.get(name)}}
    return _PATH + (f"?{urlencode(kept)}" if kept else "")


PAGES = (
    page("GET", "/jobs", list_jobs),
    page("GET", "/jobs/new", show_submission),
    page("POST", "/jobs/new", submit),
    page("GET", "/jobs/{job}", show_job),
    page("GET", "/jobs/{job}/log.txt", download_log),
    page("POST", "/jobs/{job}/kill", kill_job),
    page("POST", "/jobs/{job}/delete", delete_job),
)
