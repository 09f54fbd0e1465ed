"""Whom a job acts for: the principal that submitted it, kept with its row."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, Table, bindparam, select

from headland.database import Database
from headland.database.prepared import Prepared
from headland.jobs.batches.tables import batch
from headland.jobs.sessions.tables import session
from headland.security import Principal


class _Submitter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A principal without its roles, which are looked up whenever they are wanted."""

    tenant_id: str
    client_id: str
    object_id: str
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A batch or session that has not ended."""

    #: `batch/12` or `session/3`: never another's, since ids are not used again.
    name: str
    #: None where nobody showed who it was, or it was submitted before that was kept.
    submitter: Principal | None


def encode(principal: Principal | None) -> bytes | None:
    """What a row keeps of who submitted it."""
    if principal is None:
        return None
    return msgspec.json.encode(
        _Submitter(principal.tenant_id, principal.client_id, principal.object_id, principal.issuer)
    )


def decode(row: bytes | None) -> Principal | None:
    """Who submitted it, as far as its row says."""
    if row is None:
        return None
    kept = msgspec.json.decode(row, type=_Submitter)
    return Principal(kept.tenant_id, kept.client_id, kept.object_id, issuer=kept.issuer)


def find_job(connection: Connection, run_key: str) -> Job | None:
    """The job with that run key, if there is one that has not ended."""
    for kind, statement in _BY_RUN_KEY.items():
        found = statement.row(connection, run_key=run_key)
        if found is not None:
            return Job(f"{kind}/{found[0]}", decode(found[1]))
    return None


def job_alive(database: Database) -> Callable[[str], bool]:
    """Tells whether the job of a name has neither ended nor been deleted. It is remembered until somebody commits."""

    def alive(name: str) -> bool:
        kind, _, number = name.partition("/")
        statement = _ALIVE.get(kind)
        if statement is None or not number.isdigit():
            return False

        def look(connection: Connection) -> bool | None:
            return True if statement.row(connection, id=int(number)) is not None else None

        return database.read_remembered(("job", name), look) is not None

    return alive


def _running(table: Table) -> tuple[Prepared, Prepared]:
    lives = table.c.finished_at.is_(None), table.c.delete_requested_at.is_(None)
    by_run_key = select(table.c.id, table.c.submitter).where(table.c.run_key == bindparam("run_key"), *lives)
    return Prepared(by_run_key), Prepared(select(table.c.id).where(table.c.id == bindparam("id"), *lives))


_RUNNING = {"batch": _running(batch), "session": _running(session)}
_BY_RUN_KEY = {kind: statements[0] for kind, statements in _RUNNING.items()}
_ALIVE = {kind: statements[1] for kind, statements in _RUNNING.items()}
