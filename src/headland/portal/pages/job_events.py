"""A batch that is watched: server-sent events of its state and its log (WHATWG HTML, section 9.2)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from headland.http.stopping import is_stopping
from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import API, Job, JobService
from headland.portal.visits import Visit, page

#: Seconds between looks for those who watch a batch.
LOOK = 1.0
#: Looks without news after which a comment shows that the connection lives.
_SILENCE = 15

_EVENTS = "text/event-stream"


async def follow_job(visit: Visit) -> Response:
    """What is told of its state, whenever that is another one."""
    service, id_ = JobService(visit.inside), visit.path("job")
    await service.batch(id_)
    return StreamingResponse(_states(visit, service, id_), 200, {"cache-control": "no-store"}, _EVENTS)


async def follow_log(visit: Visit) -> Response:
    """The job service's own events: a line each."""
    service, id_ = JobService(visit.inside), visit.path("job")
    await service.tail(id_, 1)
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


async def state_of(service: JobService, job: Job, names: Directory) -> dict[str, Any]:
    """What changes while somebody looks."""
    progress = job.progress
    if job.ended:
        # Whose batch it is not sees its state, and no more.
        with contextlib.suppress(RefusedError):
            progress = await service.progress(str(job.id))
    return {"job": job, "times": job.times, "progress": progress, "names": names}


async def _states(visit: Visit, service: JobService, id_: str) -> AsyncIterator[bytes]:
    before, silence = "", 0
    # People and applications don't change their names while a batch is watched.
    names = await Directory.of(visit.inside)
    while visit.goes_on and not is_stopping():
        try:
            job = await service.batch(id_)
            shown = visit.text("job_state.html", **await state_of(service, job, names))
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
    data = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{data}\n".encode()


PAGES = (
    page("GET", "/jobs/{job}/events", follow_job),
    page("GET", "/jobs/{job}/log/events", follow_log),
)
