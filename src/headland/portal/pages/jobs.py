"""Batches: the list of them, and one with its progress and log, live."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response, StreamingResponse

from headland.http.stopping import is_stopping
from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import API, STATES, Job, JobService
from headland.portal.visits import Visit, page

_PATH = "/portal/jobs"

#: Batches on a page.
SIZE = 50
#: Lines of the log that a page has from the start.
TAIL = 200
#: Seconds between looks for those who watch a batch.
LOOK = 1.0
#: Looks without news after which a comment shows that the connection lives.
_SILENCE = 15

_EVENTS = "text/event-stream"

#: A batch that is to be stopped has ended by itself, or takes its time: either is news, and no fault of the person's.
_TOO_LATE_OR_SLOW = frozenset({409, 503})


async def list_jobs(visit: Visit) -> Response:
    query = {name: visit.asked(name) for name in ("state", "owner", "name") if visit.asked(name)}
    order = "asc" if visit.asked("order") == "asc" else "desc"
    start = int(visit.asked("from")) if visit.asked("from").isdecimal() else 0
    asked = {**query, "order": order, "from": str(start), "size": str(SIZE)}
    if asked.get("owner") == "me":
        asked["owner"] = visit.person.principal.client_id
    found, rows = await JobService(visit.inside).batches(asked)
    return visit.show(
        "jobs_table.html" if visit.partial else "jobs.html",
        rows=rows,
        total=found.total,
        start=start,
        size=SIZE,
        query=query,
        order=order,
        states=STATES,
        live=any(not job.ended for job in found.sessions),
        link=lambda **changes: _link(query, order, start, **changes),
        names=await Directory.of(visit.inside),
        said=visit.asked("said"),
        data=f"{API}/batches?{urlencode(asked)}",
    )


async def show_submission(visit: Visit) -> Response:
    return visit.show("job_new.html", problem="", form={"key": str(uuid.uuid4())})


async def submit(visit: Visit) -> Response:
    form = visit.form
    try:
        id_ = await JobService(visit.inside).submit(_wanted(form), form.get("key", ""))
    except RefusedError as error:
        return visit.show("job_new.html", error.status, problem=error.message, form=form)
    return visit.go(f"{_PATH}/{id_}")


async def show_job(visit: Visit) -> Response:
    service, id_ = JobService(visit.inside), visit.path("job")
    job = await service.batch(id_)
    try:
        log, refusal = await service.log(id_, size=TAIL), ""
    except RefusedError as error:
        log, refusal = None, error.message
    return visit.show(
        "job.html",
        log=log,
        refusal=refusal,
        said=visit.asked("said"),
        data=f"{API}/batches/{job.id}",
        **await _state(visit, service, job),
    )


async def follow_job(visit: Visit) -> Response:
    """What is told of its state, whenever that is another one."""
    service, id_ = JobService(visit.inside), visit.path("job")
    await service.batch(id_)
    return StreamingResponse(_states(visit, service, id_), 200, {"cache-control": "no-store"}, _EVENTS)


async def follow_log(visit: Visit) -> Response:
    """The job service's own events: a line each."""
    service, id_ = JobService(visit.inside), visit.path("job")
    await service.log(id_, size=1)
    wanted = {"accept": _EVENTS}
    if last := visit.request.headers.get("last-event-id"):
        wanted["last-event-id"] = last

    async def lines() -> AsyncIterator[bytes]:
        path = f"{API}/batches/{quote(id_, safe='')}/log"
        query = {"from": visit.asked("from")} if visit.asked("from").isdecimal() else {}
        async with visit.inside.follow(path, query=query, headers=wanted) as followed:
            async for piece in followed.pieces:
                if not visit.goes_on:
                    return
                yield piece

    return StreamingResponse(lines(), 200, {"cache-control": "no-store"}, _EVENTS)


async def download_log(visit: Visit) -> Response:
    service, job = JobService(visit.inside), await JobService(visit.inside).batch(visit.path("job"))
    await service.log(str(job.id), size=1)
    headers = {
        "cache-control": "no-store",
        "content-disposition": f'attachment; filename="batch-{job.id}.log"',
    }
    return StreamingResponse(service.lines(str(job.id)), 200, headers, "text/plain; charset=utf-8")


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


async def _states(visit: Visit, service: JobService, id_: str) -> AsyncIterator[bytes]:
    before, silence = "", 0
    while visit.goes_on and not is_stopping():
        try:
            job = await service.batch(id_)
            shown = visit.text("job_state.html", **await _state(visit, service, job))
        except RefusedError as error:
            if error.status == 404:
                yield _event("state", visit.text("job_gone.html")) + _event("acts", "")
            yield _event("end", "deleted")
            return
        if shown != before:
            before, silence = shown, 0
            yield _event("state", shown)
        if job.ended:
            yield _event("acts", visit.text("job_acts.html", job=job)) + _event("end", job.state)
            return
        silence += 1
        if silence >= _SILENCE:
            silence = 0
            yield b": still here\n\n"
        await asyncio.sleep(LOOK)


def _event(name: str, text: str) -> bytes:
    """A server-sent event (WHATWG HTML, section 9.2)."""
    data = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{data}\n".encode()


async def _state(visit: Visit, service: JobService, job: Job) -> dict[str, Any]:
    """What changes while somebody looks."""
    id_ = str(job.id)
    try:
        progress = await service.progress(id_)
    except RefusedError:
        # Whose batch it is not sees its state, and no more.
        progress = None
    return {
        "job": job,
        "times": await service.times(id_),
        "progress": progress,
        "names": await Directory.of(visit.inside),
    }


def _wanted(form: dict[str, str]) -> dict[str, Any]:
    """A submission as the API takes it; what is left empty is left out."""
    texts = {
        "file": "file",
        "class_name": "className",
        "name": "name",
        "queue": "queue",
        "driver_memory": "driverMemory",
        "executor_memory": "executorMemory",
    }
    numbers = {"num_executors": "numExecutors", "executor_cores": "executorCores"}
    lists = {"args": "args", "jars": "jars", "py_files": "pyFiles", "files": "files"}
    wanted: dict[str, Any] = {
        api: form[name].strip() for name, api in texts.items() if form.get(name, "").strip()
    }
    for name, api in numbers.items():
        if text := form.get(name, "").strip():
            wanted[api] = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
    for name, api in lists.items():
        if lines := [line for line in form.get(name, "").split("\n") if line.strip()]:
            wanted[api] = lines
    pairs = [line.partition("=") for line in form.get("conf", "").split("\n") if line.strip()]
    if pairs:
        wanted["conf"] = {name.strip(): value.strip() for name, _, value in pairs}
    return wanted


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
    page("GET", "/jobs/{job}/events", follow_job),
    page("GET", "/jobs/{job}/log/events", follow_log),
    page("GET", "/jobs/{job}/log.txt", download_log),
    page("POST", "/jobs/{job}/kill", kill_job),
    page("POST", "/jobs/{job}/delete", delete_job),
)
