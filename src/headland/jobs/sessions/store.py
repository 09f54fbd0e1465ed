"""Rows of sessions: functions that take a connection. Rules are elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, or_, select, update

from headland.database.expressions import found_anyhow
from headland.jobs.batches.store import DuplicateNameError
from headland.jobs.batches.tables import batch_sequence
from headland.jobs.sessions.listing import Wanted
from headland.jobs.sessions.states import State
from headland.jobs.sessions.tables import session


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A row, as it is."""

    id: int
    run_key: str
    name: str | None
    owner: str | None
    proxy_user: str | None
    kind: str
    state: State
    request: bytes
    app_id: str | None
    app_info: bytes | None
    created_at: int
    claimed_by: str | None
    claimed_at: int | None
    started_at: int | None
    finished_at: int | None
    report: bytes | None
    log_tail: bytes | None
    stop_requested_at: int | None
    stop_reason: str | None
    delete_requested_at: int | None
    submitter: bytes | None = None

    @property
    def unwanted(self) -> bool:
        """Whether it is to be stopped."""
        return self.stop_requested_at is not None or self.delete_requested_at is not None


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a row begins with."""

    run_key: str
    name: str | None
    owner: str | None
    proxy_user: str | None
    kind: str
    request: bytes
    created_at: int
    submitter: bytes | None = None


_VISIBLE = select(session).where(session.c.delete_requested_at.is_(None))


def create(connection: Connection, new: NewSession) -> SessionRow:
    """A row in state `starting`, with the next id.

    Raises:
        DuplicateNameError: the name is taken.
    """
    holder = None if new.name is None else _name_holder(connection, new.name)
    if holder is not None:
        raise DuplicateNameError(str(new.name), holder)
    counted = update(batch_sequence).where(batch_sequence.c.name == "session")
    following = connection.execute(
        counted.values(next_id=batch_sequence.c.next_id + 1).returning(batch_sequence.c.next_id)
    ).scalar_one()
    values = {name: getattr(new, name) for name in NewSession.__slots__}
    wanted = insert(session).values(id=following - 1, state=State.STARTING, **values).returning(*session.c)
    return _row(connection.execute(wanted).one())


def get(connection: Connection, session_id: int) -> SessionRow | None:
    """Any row, one that is being deleted included."""
    found = connection.execute(select(session).where(session.c.id == session_id)).one_or_none()
    return None if found is None else _row(found)


def find(connection: Connection, reference: int | str) -> SessionRow | None:
    """The session with this id, or the newest with this name."""
    if isinstance(reference, int):
        wanted = _VISIBLE.where(session.c.id == reference)
    else:
        wanted = _VISIBLE.where(session.c.name == reference).order_by(session.c.id.desc()).limit(1)
    found = connection.execute(wanted).one_or_none()
    return None if found is None else _row(found)


def ids(connection: Connection, wanted: Wanted, start: int, size: int) -> list[int]:
    """Ids of `size` of the sessions wanted, without the first `start`."""
    order = session.c.id.desc() if wanted.newest_first else session.c.id
    found = select(session.c.id).where(*_conditions(wanted)).order_by(order).offset(start).limit(size)
    return [*connection.execute(found).scalars()]


def rows(connection: Connection, ids: Sequence[int]) -> list[SessionRow]:
    """Those of some sessions that are there, in the order of their ids here."""
    found = {row.id: _row(row) for row in connection.execute(_VISIBLE.where(session.c.id.in_(ids)))}
    return [found[id_] for id_ in ids if id_ in found]


def total(connection: Connection, wanted: Wanted) -> int:
    """How many sessions are wanted."""
    counted = select(func.count()).select_from(session).where(*_conditions(wanted))
    return connection.execute(counted).scalar_one()


def unfinished(connection: Connection) -> list[SessionRow]:
    """Those that have not ended or have to be forgotten still, oldest first."""
    open_ended = or_(session.c.finished_at.is_(None), session.c.delete_requested_at.is_not(None))
    return [_row(row) for row in connection.execute(select(session).where(open_ended).order_by(session.c.id))]


def count_ended(connection: Connection) -> int:
    """How many have ended and are to be seen still."""
    ended = session.c.finished_at.is_not(None), session.c.delete_requested_at.is_(None)
    return connection.execute(select(func.count()).select_from(session).where(*ended)).scalar_one()


def oldest_waiting(connection: Connection) -> int | None:
    """When the session that has waited longest was created; None where none waits."""
    waiting = (
        session.c.claimed_by.is_(None),
        session.c.finished_at.is_(None),
        session.c.stop_requested_at.is_(None),
        session.c.delete_requested_at.is_(None),
    )
    return connection.execute(select(func.min(session.c.created_at)).where(*waiting)).scalar()


def claim(connection: Connection, session_id: int, node: str, now: int, run_key: str | None = None) -> bool:
    """Take a waiting session on, into the run directory `run_key` if one is given; whether it was still to be had."""
    taken = update(session).where(
        session.c.id == session_id,
        session.c.claimed_by.is_(None),
        session.c.stop_requested_at.is_(None),
        session.c.delete_requested_at.is_(None),
    )
    values = {"claimed_by": node, "claimed_at": now, **({"run_key": run_key} if run_key else {})}
    return connection.execute(taken.values(values)).rowcount == 1


def change(connection: Connection, session_id: int, **values: Any) -> None:
    """Set columns of a session that has not ended; one that has keeps what it ended with."""
    wanted = update(session).where(session.c.id == session_id, session.c.finished_at.is_(None))
    connection.execute(wanted.values(**values))


def request_stop(connection: Connection, session_id: int, now: int, reason: str) -> None:
    """Have a session stopped and its record kept. The first reason stays."""
    wanted = update(session).where(
        session.c.id == session_id,
        session.c.finished_at.is_(None),
        session.c.stop_requested_at.is_(None),
    )
    connection.execute(wanted.values(stop_requested_at=now, stop_reason=reason))


def request_delete(connection: Connection, session_id: int, now: int) -> bool:
    """Have a session stopped and forgotten; False if somebody else has done so already."""
    wanted = update(session).where(session.c.id == session_id, session.c.delete_requested_at.is_(None))
    return connection.execute(wanted.values(delete_requested_at=now)).rowcount == 1


def remove(connection: Connection, session_id: int) -> None:
    """Forget a session."""
    connection.execute(session.delete().where(session.c.id == session_id))


def outlived(connection: Connection, before: int | None, keep: int | None, size: int) -> list[int]:
    """The `size` first to go of the sessions that ended before a time, or are more than `keep`: those that ended
    first. None sets no limit.
    """
    ended = session.c.finished_at.is_not(None), session.c.delete_requested_at.is_(None)
    surplus = 0 if keep is None else count_ended(connection) - keep
    first = select(session.c.id, session.c.finished_at).where(*ended)
    found = connection.execute(first.order_by(session.c.finished_at, session.c.id).limit(size))
    return [
        number
        for place, (number, at) in enumerate(found)
        if place < surplus or (before is not None and at < before)
    ]


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [session.c.delete_requested_at.is_(None)]
    if wanted.name_part is not None:
        conditions.append(found_anyhow(wanted.name_part, session.c.name))
    return conditions


def _name_holder(connection: Connection, name: str) -> int | None:
    wanted = select(session.c.id).where(
        session.c.name == name, session.c.finished_at.is_(None), session.c.delete_requested_at.is_(None)
    )
    return connection.execute(wanted).scalar()


def _row(found: Row[Any]) -> SessionRow:
    values: tuple[Any, ...] = tuple(found)
    session_id, run_key, name, owner, proxy_user, kind, state, *others = values
    return SessionRow(session_id, run_key, name, owner, proxy_user, kind, State(state), *others)
