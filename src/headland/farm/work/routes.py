"""The operations on jobs that delete with all that is linked."""

from collections.abc import Iterator

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.arrival import Arrival
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.documents import rows
from headland.farm.documents.parents import key_below, parent_id
from headland.farm.documents.rows import Key
from headland.farm.errors import ResourceNotFoundError
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings
from headland.farm.parameters import api_version
from headland.farm.queries import required
from headland.farm.versions import Version
from headland.farm.work import jobs
from headland.farm.work.cascade import CASCADE_DELETE, CascadeDelete
from headland.farm.work.handlers import JOB, PACED, POLLED, JobHandlers
from headland.farm.work.rows import Job
from headland.farm.work.wire import CascadeDeleteJob, encoded, job_struct
from headland.http.operations import Answer, Operation, Parameter


def job_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """Every operation of a version on jobs, by paths below an instance's address."""
    for family in FAMILIES:
        if family.cascades and version in family.versions:
            yield from _cascade(family, version, surroundings)


def _cascade(family: Family, version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    handlers = _CascadeHandlers(family, version, surroundings)
    kind, struct = family.kind.of(version), job_struct(CascadeDeleteJob, version)
    path = f"/{family.segment.of(version)}/cascade-delete/{{{JOB}}}"
    read, write = (family.action(verb, "deletionJobs") for verb in ("read", "write"))
    yield Operation(
        "PUT",
        path,
        guarded(f"cascade_{family.name}", write, handlers.put, surroundings.gate),
        f"Delete a {kind} resource with all that is linked to it",
        {202: Answer("It is going to be; or it was, by the same request.", struct, POLLED)},
        parameters=(
            api_version(version),
            *(Parameter(name, str, "Of the resource.", required=True) for name in handlers.names),
        ),
        action=write,
    )
    yield Operation(
        "GET",
        path,
        guarded(f"get_cascade_{family.name}", read, handlers.get, surroundings.gate),
        f"Ask how the deletion of a {kind} resource goes",
        {200: Answer("The job.", struct, PACED)},
        parameters=(api_version(version),),
        action=read,
    )


class _CascadeHandlers(JobHandlers):
    """One family's in one version."""

    called = "CascadeDeleteJob"

    def __init__(self, family: Family, version: Version, surroundings: Surroundings) -> None:
        super().__init__(version, surroundings)
        self._family = family
        self._parents = [(parent, parent.parameter.of(version)) for parent in family.parents]
        self._own = family.parameter.of(version)
        #: Of the parameters that name the resource.
        self.names = [*(name for _, name in self._parents), self._own]

    async def put(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        given = {name: required(arrival.query, name) for name in self.names}
        ids = [parent_id(parent, self._version, given[name]) for parent, name in self._parents]
        key = key_below(self._family, ids, given[self._own])
        by = visit.principal.object_id

        def started(connection: Connection, job_id: str, now: int) -> Job:
            return self._started(connection, job_id, key, by, now)

        return await self._start(request, arrival, visit, started)

    def _started(self, connection: Connection, job_id: str, key: Key, by: str, now: int) -> Job:
        wanted = CascadeDelete(self._family.name, key.party, key.id, key.within)
        there = jobs.repeated(connection, job_id, CASCADE_DELETE.name, wanted)
        if there is not None:
            return there
        kind = self._family.kind.of(self._version)
        if not rows.exists(connection, self._family, key):
            raise ResourceNotFoundError(kind, key.id)
        message = f"Created job '{job_id}' to delete {kind} '{key.id}' and all that is linked to it."
        return jobs.start(connection, job_id, CASCADE_DELETE.name, wanted, message=message, by=by, now=now)

    def _is_own(self, job: Job) -> bool:
        return job.kind == CASCADE_DELETE.name and self._wanted(job).family == self._family.name

    def _wanted(self, job: Job) -> CascadeDelete:
        wanted: CascadeDelete = CASCADE_DELETE.input_of(job.input)
        return wanted

    def _shown(self, job: Job) -> bytes:
        wanted = self._wanted(job)
        kind = self._family.kind.of(self._version).lower()
        party = wanted.party or wanted.id
        own = {"party_id": party, "resource_id": wanted.id, "resource_type": kind}
        return encoded(job, CascadeDeleteJob, self._version, self._now(), **own)
