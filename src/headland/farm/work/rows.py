"""Rows of jobs: functions that take a connection."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from headland.farm.work.states import Event, State, sources_of, target_of
from headland.farm.work.tables import jobs_table as table


@dataclass(frozen=True, slots=True)
class Job:
    """A job, as its row has it."""

    id: str
    kind: str
    input: bytes
    state: State
    message: str
    created_by: str
    #: Milliseconds since the epoch, as all its times.
    created: int
    error_code: str | None = None
    #: When something happened to it last.
    acted: int | None = None
    started: int | None = None
    ended: int | None = None
    attempts: int = 0


def find(connection: Connection, job_id: str) -> Job | None:
    """The job with an id."""
    return _job(connection.execute(sa.select(table).where(table.c.id == job_id)).one_or_none())


def next_open(connection: Connection) -> Job | None:
    """The oldest job that has not ended."""
    oldest = sa.select(table).where(table.c.ended.is_(None)).order_by(table.c.created, table.c.id).limit(1)
    return _job(connection.execute(oldest).one_or_none())


def add(connection: Connection, job: Job) -> None:
    """Add a job whose id was never used."""
    connection.execute(sa.insert(table).values({name: getattr(job, name) for name in Job.__slots__}))


def take(connection: Connection, job_id: str, now: int, *, again: bool) -> None:
    """Somebody begins with it; `again`, if it is the same process as before."""
    _happen(
        connection,
        job_id,
        Event.TAKEN,
        acted=now,
        started=sa.func.coalesce(table.c.started, now),
        attempts=table.c.attempts + (0 if again else 1),
    )


def lay_down(connection: Connection, job_id: str, now: int) -> None:
    """It is left to another process, as if nobody had begun with it: that one must not give it up for it."""
    _happen(connection, job_id, Event.LAID_DOWN, acted=now, attempts=table.c.attempts - 1)


def end(connection: Connection, job_id: str, now: int, message: str, error_code: str | None = None) -> None:
    """It is done; or given up, where there is an error's code."""
    event = Event.DONE if error_code is None else Event.GIVEN_UP
    _happen(connection, job_id, event, acted=now, ended=now, message=message, error_code=error_code)


def _happen(connection: Connection, job_id: str, event: Event, **values: object) -> None:
    change = sa.update(table).where(table.c.id == job_id, table.c.state.in_(sources_of(event)))
    changed = connection.execute(change.values(state=target_of(event), **values)).rowcount
    if changed != 1:
        raise RuntimeError(f"job {job_id} is not in a state in which it can be {event}")


def _job(row: Row[tuple[object, ...]] | None) -> Job | None:
    if row is None:
        return None
    values = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
    return Job(**(values | {"state": State(values["state"])}))
