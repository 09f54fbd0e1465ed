"""Rows of the trail: added and read, never anything else."""

from dataclasses import asdict, dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.audit.records import Entry
from headland.audit.tables import entry
from headland.database.prepared import Prepared

_LAST = Prepared(sa.select(entry.c.sequence, entry.c.hash).order_by(entry.c.sequence.desc()).limit(1))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries are wanted; None leaves a thing open. Times are milliseconds since 1970."""

    #: Entries of this tenant, and those of none.
    tenant_id: str | None = None
    action: str | None = None
    target: str | None = None
    by_client_id: str | None = None
    since: int | None = None
    until: int | None = None


def last(connection: Connection) -> tuple[int, bytes] | None:
    """Number and hash of the newest entry."""
    row = _LAST.row(connection)
    return (row[0], row[1]) if row is not None else None


def add(connection: Connection, new: Entry) -> None:
    connection.execute(entry.insert().values(asdict(new)))


def page(connection: Connection, wanted: Filter, before: int | None, size: int) -> list[Entry]:
    """The newest `size` entries of those wanted, of those below the number `before`; newest first."""
    query = sa.select(entry)
    if wanted.tenant_id is not None:
        query = query.where(sa.or_(entry.c.tenant_id == wanted.tenant_id, entry.c.tenant_id.is_(None)))
    if before is not None:
        query = query.where(entry.c.sequence < before)
    for column, value in (
        (entry.c.action, wanted.action),
        (entry.c.target, wanted.target),
        (entry.c.by_client_id, wanted.by_client_id),
    ):
        if value is not None:
            query = query.where(column == value)
    if wanted.since is not None:
        query = query.where(entry.c.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(entry.c.at < wanted.until)
    return [Entry(*row) for row in connection.execute(query.order_by(entry.c.sequence.desc()).limit(size))]


def following(connection: Connection, sequence: int, size: int) -> list[Entry]:
    """The first `size` entries after the one with that number, oldest first, whatever their tenant."""
    query = sa.select(entry).where(entry.c.sequence > sequence).order_by(entry.c.sequence).limit(size)
    return [Entry(*row) for row in connection.execute(query)]
