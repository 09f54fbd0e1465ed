"""Rows of batches: functions that take a connection. Rules are elsewhere."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from headland.jobs.batches.states import State
from headland.jobs.batches.tables import batch, batch_sequence


class DuplicateNameError(Exception):
    """A batch that has not ended has this name already."""

    def __init__(self, name: str, holder: int) -> None:
        super().__init__(name)
        self.name = name
        self.holder = holder


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A row, as it is."""

    id: int
    run_key: str
    name: str | None
    owner: str | None
    proxy_user: str | None
    state: State
    request: bytes
    app_id: str | None
    app_info: bytes | None
    created_at: int
    claimed_by: str | None
    claimed_at: int | None
    started_at: int | None
    finished_at: int | None
    exit_code: int | None
    report: bytes | None
    log_tail: bytes | None
    kill_requested_at: int | None
    delete_requested_at: int | None
    queue: str | None

    @property
    def unwanted(self) -> bool:
        """Whether it is to be stopped."""
        return self.kill_requested_at is not None or self.delete_requested_at is not None


@dataclass(frozen=True, slots=True)
class NewBatch:
    """What a row begins with."""

    run_key: str
    name: str | None
    owner: str | None
    proxy_user: str | None
    request: bytes
    created_at: int
    queue: str | None = None


_NEXT_ID = (
    update(batch_sequence)
    .where(batch_sequence.c.name == "batch")
    .values(next_id=batch_sequence.c.next_id + 1)
    .returning(batch_sequence.c.next_id)
)
_INSERT = insert(batch).returning(batch)
_BY_ID = select(batch).where(batch.c.id == bindparam("id"))
_VISIBLE = select(batch).where(batch.c.delete_requested_at.is_(None))
_VISIBLE_BY_ID = _VISIBLE.where(batch.c.id == bindparam("id"))
_VISIBLE_BY_NAME = _VISIBLE.where(batch.c.name == bindparam("name")).order_by(batch.c.id.desc()).limit(1)
_PAGE = _VISIBLE.order_by(batch.c.id).offset(bindparam("start")).limit(bindparam("size"))
_ALL_ROWS = select(func.count()).select_from(batch)
_DELETED_ROWS = _ALL_ROWS.where(batch.c.delete_requested_at.is_not(None))
_NAME_HOLDER = select(batch.c.id).where(
    batch.c.name == bindparam("name"), batch.c.finished_at.is_(None), batch.c.delete_requested_at.is_(None)
)
_UNFINISHED = select(batch).where(batch.c.finished_at.is_(None)).order_by(batch.c.id)
_CLAIMED = _UNFINISHED.where(batch.c.claimed_by == bindparam("node"))
_WAITING = _UNFINISHED.where(
    batch.c.claimed_by.is_(None), batch.c.kill_requested_at.is_(None), batch.c.delete_requested_at.is_(None)
).limit(bindparam("size"))
_UNWANTED_WAITING = _UNFINISHED.where(batch.c.claimed_by.is_(None), batch.c.kill_requested_at.is_not(None))
_DELETED = select(batch).where(batch.c.delete_requested_at.is_not(None)).order_by(batch.c.id)


def create(connection: Connection, new: NewBatch) -> BatchRow:
    """A row in state `starting`, with the next id.

    Raises:
        DuplicateNameError: the name is taken.
    """
    following = connection.execute(_NEXT_ID).scalar_one()
    row = {
        "id": following - 1,
        "run_key": new.run_key,
        "name": new.name,
        "owner": new.owner,
        "proxy_user": new.proxy_user,
        "state": State.STARTING,
        "request": new.request,
        "created_at": new.created_at,
        "queue": new.queue,
    }
    try:
        return _row(connection.execute(_INSERT, row).one())
    except IntegrityError:
        if new.name is None:
            raise
        holder = name_holder(connection, new.name)
        if holder is None:
            raise
        raise DuplicateNameError(new.name, holder) from None


def name_holder(connection: Connection, name: str) -> int | None:
    """Id of the batch that has not ended and has this name."""
    return connection.execute(_NAME_HOLDER, {"name": name}).scalar()


def get(connection: Connection, batch_id: int) -> BatchRow | None:
    """Any row, one that is being deleted included."""
    return _row_or_none(connection.execute(_BY_ID, {"id": batch_id}).one_or_none())


def find(connection: Connection, reference: int | str) -> BatchRow | None:
    """The batch with this id, or the newest with this name."""
    if isinstance(reference, int):
        return _row_or_none(connection.execute(_VISIBLE_BY_ID, {"id": reference}).one_or_none())
    return _row_or_none(connection.execute(_VISIBLE_BY_NAME, {"name": reference}).one_or_none())


def page(connection: Connection, start: int, size: int) -> list[BatchRow]:
    """`size` batches, oldest first, without the first `start`."""
    return [_row(found) for found in connection.execute(_PAGE, {"start": start, "size": size})]


def total(connection: Connection) -> int:
    """How many batches there are. Two index counts: no row is read."""
    return connection.execute(_ALL_ROWS).scalar_one() - connection.execute(_DELETED_ROWS).scalar_one()


def waiting(connection: Connection, size: int) -> list[BatchRow]:
    """The `size` first in the queue."""
    return [_row(found) for found in connection.execute(_WAITING, {"size": size})]


def claimed(connection: Connection, node: str) -> list[BatchRow]:
    """Batches that a node has taken on and that have not ended."""
    return [_row(found) for found in connection.execute(_CLAIMED, {"node": node})]


def unwanted_waiting(connection: Connection) -> list[BatchRow]:
    """Batches to be killed that nobody has taken on."""
    return [_row(found) for found in connection.execute(_UNWANTED_WAITING)]


def deleted(connection: Connection) -> list[BatchRow]:
    """Batches of which nothing is to remain."""
    return [_row(found) for found in connection.execute(_DELETED)]


def count_by_state(connection: Connection) -> dict[str, int]:
    """Visible batches by state."""
    counted = (
        select(batch.c.state, func.count())
        .where(batch.c.delete_requested_at.is_(None))
        .group_by(batch.c.state)
    )
    return {state: number for state, number in connection.execute(counted)}  # noqa: C416 - rows, not pairs


def claim(connection: Connection, batch_id: int, node: str, now: int, run_key: str | None = None) -> bool:
    """Take a waiting batch on, into the run directory `run_key` if one is given; whether it was still to be had."""
    taken = (
        update(batch)
        .where(
            batch.c.id == batch_id,
            batch.c.claimed_by.is_(None),
            batch.c.kill_requested_at.is_(None),
            batch.c.delete_requested_at.is_(None),
        )
        .values(claimed_by=node, claimed_at=now, **({"run_key": run_key} if run_key else {}))
    )
    return connection.execute(taken).rowcount == 1


def change(connection: Connection, batch_id: int, **values: Any) -> None:
    """Set columns of a batch that has not ended; one that has keeps what it ended with."""
    connection.execute(
        update(batch).where(batch.c.id == batch_id, batch.c.finished_at.is_(None)).values(**values)
    )


def request_kill(connection: Connection, batch_id: int, now: int) -> None:
    """Have a batch stopped and its record kept."""
    change(connection, batch_id, kill_requested_at=func.coalesce(batch.c.kill_requested_at, now))


def request_delete(connection: Connection, batch_id: int, now: int) -> bool:
    """Have a batch stopped and forgotten; False if somebody else has done so already."""
    wanted = update(batch).where(batch.c.id == batch_id, batch.c.delete_requested_at.is_(None))
    return connection.execute(wanted.values(delete_requested_at=now)).rowcount == 1


def remove(connection: Connection, batch_id: int) -> None:
    """Forget a batch."""
    connection.execute(batch.delete().where(batch.c.id == batch_id))


def _row(found: Row[Any]) -> BatchRow:
    # By position, since pages are made of these: the record has the table's columns, in their order.
    values: tuple[Any, ...] = tuple(found)
    batch_id, run_key, name, owner, proxy_user, state, *others = values
    return BatchRow(batch_id, run_key, name, owner, proxy_user, State(state), *others)


def _row_or_none(found: Row[Any] | None) -> BatchRow | None:
    return None if found is None else _row(found)
