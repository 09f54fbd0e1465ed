"""Jobs as they go over the wire."""

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from headland.farm.catalogue.members import Called, In, Properties, Text100, Text500
from headland.farm.catalogue.shape import struct_of
from headland.farm.versions import Version
from headland.farm.work.rows import Job
from headland.farm.work.states import State


class JobDocument(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """The envelope: what jobs of every kind have."""

    id: str = ""
    status: State | None = None
    duration_in_seconds: float | None = None
    message: str | None = None
    error_code: Annotated[str | None, In("C-G")] = None
    created_date_time: datetime | None = None
    last_action_date_time: datetime | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None


class CascadeDeleteJob(JobDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A job that deletes a resource with all that is linked to it."""

    party_id: Annotated[str, Called("farmerId", "AB")] = ""
    resource_id: str = ""
    resource_type: str = ""


class ImageProcessingRasterizeJob(JobDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A job that makes rasters of columns of a shapefile, which is an attachment."""

    party_id: Annotated[str, Meta(min_length=1), Called("farmerId", "AB")]
    shapefile_attachment_id: Annotated[str, Meta(min_length=1)]
    shapefile_column_names: Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1)]
    name: Text100 | None = None
    description: Text500 | None = None
    properties: Properties | None = None
    created_by: Annotated[str | None, In("C-G")] = None
    modified_by: Annotated[str | None, In("C-G")] = None


@cache
def job_struct(declared: type[JobDocument], version: Version) -> type[Any]:
    """A job as one version has it."""
    return struct_of(declared.__name__, declared, version)


def encoded(job: Job, declared: type[JobDocument], version: Version, now: int, **own: Any) -> bytes:
    """What is answered of a job at some moment (milliseconds), with the members of its own kind."""
    struct = job_struct(declared, version)
    values: dict[str, Any] = {
        "id": job.id,
        "status": job.state,
        # Without the time that it waited.
        "duration_in_seconds": None if job.started is None else ((job.ended or now) - job.started) / 1000,
        "message": job.message,
        "error_code": job.error_code,
        "created_date_time": _moment(job.created),
        "last_action_date_time": _moment(job.acted),
        "start_time": _moment(job.started),
        "end_time": _moment(job.ended),
        **own,
    }
    known = struct.__struct_fields__
    return msgspec.json.encode(struct(**{name: values[name] for name in known}))


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds // 1000, UTC)
