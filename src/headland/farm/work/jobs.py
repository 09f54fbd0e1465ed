"""The rules of starting jobs."""

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headland.farm.errors import JobExistsError
from headland.farm.work import rows
from headland.farm.work.rows import Job
from headland.farm.work.states import State


def repeated(connection: Connection, job_id: str, kind: str, wanted: Struct) -> Job | None:
    """The job with an id, which the same request has started before; None if the id was never used. `kind` is the
    name of one.

    Raises:
        JobExistsError: another request has.
    """
    there = rows.find(connection, job_id)
    if there is not None and (there.kind, there.input) != (kind, msgspec.json.encode(wanted)):
        raise JobExistsError(job_id)
    return there


def start(
    connection: Connection, job_id: str, kind: str, wanted: Struct, *, message: str, by: str, now: int
) -> Job:
    """A job that waits for a worker. `now` is in milliseconds."""
    job = Job(job_id, kind, msgspec.json.encode(wanted), State.WAITING, message, by, now)
    rows.add(connection, job)
    return job
