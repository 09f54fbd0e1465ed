"""The operations on jobs that make rasters of a shapefile's columns."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import fields
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.arrival import Arrival
from headland.farm.catalogue import ATTACHMENTS, PARTIES
from headland.farm.documents import rows
from headland.farm.documents.rows import NO_PARTY, Key
from headland.farm.errors import ResourceNotFoundError
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings
from headland.farm.parameters import api_version
from headland.farm.versions import Version
from headland.farm.work import jobs
from headland.farm.work.handlers import JOB, PACED, POLLED, JobHandlers
from headland.farm.work.rasterize import RASTERIZE, Rasterize
from headland.farm.work.rows import Job
from headland.farm.work.wire import ImageProcessingRasterizeJob, encoded, job_struct
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation
from headland.http.validation import BodyInvalidError, convert_json, decode_json

_PATH = f"/image-processing/rasterize/{{{JOB}}}"
#: Members that clients write, by attribute.
_WRITTEN = frozenset(Rasterize.__struct_fields__) - {"job"}

_ACTION = "Microsoft.AgFoodPlatform/farmBeats/rasterizeJobs"


def rasterize_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """Every operation of a version, by paths below an instance's address."""
    handlers = _RasterizeHandlers(version, surroundings)
    struct = job_struct(ImageProcessingRasterizeJob, version)
    read, write = f"{_ACTION}/read", f"{_ACTION}/write"
    yield Operation(
        "PUT",
        _PATH,
        guarded("rasterize", write, handlers.put, surroundings.gate),
        "Make rasters of columns of a shapefile, each an attachment",
        {202: Answer("It is going to be; or it was, by the same request.", struct, POLLED)},
        body=struct,
        parameters=(api_version(version),),
        action=write,
    )
    yield Operation(
        "GET",
        _PATH,
        guarded("get_rasterize", read, handlers.get, surroundings.gate),
        "Ask how the making of rasters goes",
        {200: Answer("The job.", struct, PACED)},
        parameters=(api_version(version),),
        action=read,
    )


class _RasterizeHandlers(JobHandlers):
    """Those of one version."""

    called = "ImageProcessingRasterizeJob"

    def __init__(self, version: Version, surroundings: Surroundings) -> None:
        super().__init__(version, surroundings)
        self._struct = job_struct(ImageProcessingRasterizeJob, version)
        self._writable = {each.encode_name for each in fields(self._struct) if each.name in _WRITTEN}

    async def put(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        body = decode_json(await read_body(request, self._surroundings.max_body), dict[str, Any])
        # What else there is of a job is the service's to write.
        given = {name: value for name, value in body.items() if name in self._writable}
        asked = convert_json(given, self._struct)
        if len(set(asked.shapefile_column_names)) < len(asked.shapefile_column_names):
            raise BodyInvalidError("shapefileColumnNames", "has an item twice")
        wanted = {name: getattr(asked, name) for name in _WRITTEN}
        by = visit.principal.object_id

        def started(connection: Connection, job_id: str, now: int) -> Job:
            return self._started(connection, Rasterize(job=job_id, **wanted), by, now)

        return await self._start(request, arrival, visit, started)

    def _started(self, connection: Connection, wanted: Rasterize, by: str, now: int) -> Job:
        there = jobs.repeated(connection, wanted.job, RASTERIZE, wanted)
        if there is not None:
            return there
        for family, key in ((PARTIES, Key(NO_PARTY, wanted.party_id)), (ATTACHMENTS, wanted.key)):
            if not rows.exists(connection, family, key):
                raise ResourceNotFoundError(family.kind.of(self._version), key.id)
        text = f"Created job '{wanted.job}' to rasterize the shapefile '{wanted.shapefile_attachment_id}'."
        return jobs.start(connection, wanted.job, RASTERIZE, wanted, message=text, by=by, now=now)

    def _is_own(self, job: Job) -> bool:
        return job.kind == RASTERIZE

    def _shown(self, job: Job) -> bytes:
        wanted = msgspec.json.decode(job.input, type=Rasterize)
        own = {name: getattr(wanted, name) for name in _WRITTEN}
        who = {"created_by": job.created_by, "modified_by": job.created_by}
        return encoded(job, ImageProcessingRasterizeJob, self._version, self._now(), **own, **who)
