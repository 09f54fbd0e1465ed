"""What is done with jobs of every kind: HTTP to rule and back, after a request was let in."""

import asyncio
from collections.abc import Callable

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import job_answer
from headland.farm.arrival import Arrival
from headland.farm.documents import documents
from headland.farm.errors import ResourceNotFoundError
from headland.farm.handlers import Surroundings
from headland.farm.versions import Version
from headland.farm.work import rows
from headland.farm.work.rows import Job

#: The parameter of their paths.
JOB = "jobId"

_WHERE = "Where the job is asked for."
#: Headers of answers that have a job.
PACED = {"Retry-After": "Seconds, while it has not ended."}
POLLED = {"Operation-Location": _WHERE, "Location": _WHERE, **PACED}


class JobHandlers:
    """One kind's in one version."""

    #: What one is called in messages.
    called: str

    def __init__(self, version: Version, surroundings: Surroundings) -> None:
        self._version = version
        self._surroundings = surroundings

    async def get(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        job_id = request.path_params[JOB]
        job = visit.store.read(lambda connection: rows.find(connection, job_id))
        if job is None or not self._is_own(job):
            raise ResourceNotFoundError(self.called, job_id)
        return job_answer(request, self._shown(job), ended=job.state.ended)

    async def _start(
        self, request: Request, arrival: Arrival, visit: Visit, started: Callable[[Connection, str, int], Job]
    ) -> Response:
        """`started` is given the job's id and the moment, in milliseconds."""
        job_id, now = request.path_params[JOB], self._now()
        documents.check_id(JOB, job_id)
        pending = self._surroundings.pending
        await asyncio.to_thread(pending.note, visit.instance.store_key)
        job = await visit.store.write(lambda connection: started(connection, job_id, now))
        pending.wake()
        at = f"{arrival.url}?api-version={self._version}"
        return job_answer(request, self._shown(job), 202, at=at, ended=job.state.ended)

    def _is_own(self, job: Job) -> bool:
        """Whether it is of this kind."""
        raise NotImplementedError

    def _shown(self, job: Job) -> bytes:
        """What is answered of it."""
        raise NotImplementedError

    def _now(self) -> int:
        return int(self._surroundings.clock() * 1000)
