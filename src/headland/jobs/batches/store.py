"""Rows of batches: functions that take a connection. Rules are elsewhere."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    func,
    insert,
    select,
    update,
)

from headland.database.expressions import found_anyhow
from headland.database.prepared import Prepared
from headland.jobs.batches import record as records
from headland.jobs.batches.listing import Wanted
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
    record: bytes
    detached_at: int | None
    handle: str | None
    submitter: bytes | None = None

    @property
    def detached(self) -> bool:
        """Whether its application is a cluster manager's, and has not ended as far as is known."""
        return self.detached_at is not None and self.finished_at is None

    @property
    def unwanted(self) -> bool:
        """Whether it is to be stopped."""
        return self.kill_requested_at is not None or self.delete_requested_at is not None


class Shown(NamedTuple):
    """What an answer is made of. Each column that is not here saves a page of a hundred batches a tenth."""

    id: int
    record: bytes
    #: The end of the log, where the row has it.
    log_tail: bytes | None
    #: Where it has not, since the batch is being run: the batch's run key.
    live: str | None


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
    submitter: bytes | None = None


#: A statement takes some 30,000 parameters in SQLite.
_IDS_AT_ONCE = 10_000
_NEXT_ID = Prepared(
    update(batch_sequence)
    .where(batch_sequence.c.name == "batch")
    .values(next_id=batch_sequence.c.next_id + 1)
    .returning(batch_sequence.c.next_id)
)
_INSERT = Prepared(insert(batch).returning(*batch.c))
#: What a row has not when it is new: each column is a parameter of the statement.
_NEW = dict.fromkeys(batch.columns.keys())
_BY_ID = select(batch).where(batch.c.id == bindparam("id"))
_VISIBLE = select(batch).where(batch.c.delete_requested_at.is_(None))
_VISIBLE_BY_ID = _VISIBLE.where(batch.c.id == bindparam("id"))
_VISIBLE_BY_NAME = _VISIBLE.where(batch.c.name == bindparam("name")).order_by(batch.c.id.desc()).limit(1)
_LIVE = case((batch.c.log_tail.is_(None) & batch.c.claimed_by.is_not(None), batch.c.run_key))
_OWN = (batch.c.owner == bindparam("viewer")) | (batch.c.proxy_user == bindparam("viewer"))
_SHOWN_IN_FULL = select(batch.c.id, batch.c.record, batch.c.log_tail, _LIVE).where(
    batch.c.delete_requested_at.is_(None)
)
#: The same for somebody who sees the logs of their own batches only.
_SHOWN_TO = select(batch.c.id, batch.c.record, case((_OWN, batch.c.log_tail)), case((_OWN, _LIVE))).where(
    batch.c.delete_requested_at.is_(None)
)


class _ShownBy:
    """Statements for both, of one kind."""

    def __init__(self, narrow: Callable[[Select[Any]], Select[Any]]) -> None:
        self._in_full, self._to = Prepared(narrow(_SHOWN_IN_FULL)), Prepared(narrow(_SHOWN_TO))

    def rows(self, connection: Connection, viewer: str | None, **values: Any) -> list[Shown]:
        if viewer is None:
            return [*map(Shown._make, self._in_full.rows(connection, **values))]
        return [*map(Shown._make, self._to.rows(connection, viewer=viewer, **values))]


_BY_THIS_ID = _ShownBy(lambda shown: shown.where(batch.c.id == bindparam("id")))
_BY_THIS_NAME = _ShownBy(
    lambda shown: shown.where(batch.c.name == bindparam("name")).order_by(batch.c.id.desc()).limit(1)
)
_PAGE = _ShownBy(lambda shown: shown.order_by(batch.c.id).offset(bindparam("start")).limit(bindparam("size")))
_STATE = select(batch.c.id, batch.c.state).where(batch.c.delete_requested_at.is_(None))
_STATE_BY_ID = Prepared(_STATE.where(batch.c.id == bindparam("id")))
_STATE_BY_NAME = Prepared(
    _STATE.where(batch.c.name == bindparam("name")).order_by(batch.c.id.desc()).limit(1)
)
_ALL_ROWS = select(func.count()).select_from(batch)
_DELETED_ROWS = _ALL_ROWS.where(batch.c.delete_requested_at.is_not(None))
_TOTAL = Prepared(select(_ALL_ROWS.scalar_subquery() - _DELETED_ROWS.scalar_subquery()))
_NAME_HOLDER = Prepared(
    select(batch.c.id).where(
        batch.c.name == bindparam("name"),
        batch.c.finished_at.is_(None),
        batch.c.delete_requested_at.is_(None),
    )
)
_CLAIMED_IDS = select(batch.c.id).where(
    batch.c.claimed_by == bindparam("node"), batch.c.finished_at.is_(None)
)
_KILLED_WAITING_IDS = select(batch.c.id).where(
    batch.c.kill_requested_at.is_not(None), batch.c.finished_at.is_(None), batch.c.claimed_by.is_(None)
)
_DELETED_IDS = select(batch.c.id).where(batch.c.delete_requested_at.is_not(None))
_RUN_KEYS = select(batch.c.run_key).where(batch.c.run_key.in_(bindparam("run_keys", expanding=True)))
_ENDED = batch.c.finished_at.is_not(None), batch.c.delete_requested_at.is_(None)
_ENDED_ROWS = select(func.count()).select_from(batch).where(*_ENDED)
_ENDED_FIRST = (
    select(batch.c.id, batch.c.finished_at)
    .where(*_ENDED)
    .order_by(batch.c.finished_at, batch.c.id)
    .limit(bindparam("size"))
)


def create(connection: Connection, new: NewBatch) -> BatchRow:
    """A row in state `starting`, with the next id.

    Raises:
        DuplicateNameError: the name is taken.
    """
    holder = None if new.name is None else name_holder(connection, new.name)
    if holder is not None:
        raise DuplicateNameError(str(new.name), holder)
    ((following,),) = _NEXT_ID.rows(connection)
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
        "submitter": new.submitter,
        "record": records.head(
            (following - 1, new.name, new.owner, new.proxy_user, State.STARTING, None, None)
        ),
    }
    (found,) = _INSERT.rows(connection, **_NEW | row)
    return _row(found)


def name_holder(connection: Connection, name: str) -> int | None:
    """Id of the batch that has not ended and has this name."""
    found = _NAME_HOLDER.row(connection, name=name)
    return found[0] if found is not None else None


def get(connection: Connection, batch_id: int) -> BatchRow | None:
    """Any row, one that is being deleted included."""
    return _row_or_none(connection.execute(_BY_ID, {"id": batch_id}).one_or_none())


def find(connection: Connection, reference: int | str) -> BatchRow | None:
    """The batch with this id, or the newest with this name."""
    if isinstance(reference, int):
        return _row_or_none(connection.execute(_VISIBLE_BY_ID, {"id": reference}).one_or_none())
    return _row_or_none(connection.execute(_VISIBLE_BY_NAME, {"name": reference}).one_or_none())


def shown(connection: Connection, reference: int | str, viewer: str | None = None) -> Shown | None:
    """Of the same batch as `find`, what an answer needs. For a `viewer`, its log only if the batch is that
    user's own.
    """
    if isinstance(reference, int):
        found = _BY_THIS_ID.rows(connection, viewer, id=reference)
    else:
        found = _BY_THIS_NAME.rows(connection, viewer, name=reference)
    return found[0] if found else None


def rows(connection: Connection, ids: Sequence[int]) -> dict[int, BatchRow]:
    """Those of the batches that are there, by id."""
    found: dict[int, BatchRow] = {}
    for start in range(0, len(ids), _IDS_AT_ONCE):
        some = ids[start : start + _IDS_AT_ONCE]
        found |= {row.id: _row(row) for row in connection.execute(_VISIBLE.where(batch.c.id.in_(some)))}
    return found


def state(connection: Connection, reference: int | str) -> tuple[int, str] | None:
    """Of the same batch, id and state."""
    if isinstance(reference, int):
        found = _STATE_BY_ID.row(connection, id=reference)
    else:
        found = _STATE_BY_NAME.row(connection, name=reference)
    return None if found is None else (found[0], found[1])


def times(connection: Connection, reference: int | str) -> tuple[int, int, int | None, int | None] | None:
    """Of the same batch, id and when it was submitted, started and ended."""
    found = find(connection, reference)
    return None if found is None else (found.id, found.created_at, found.started_at, found.finished_at)


def page(connection: Connection, start: int, size: int, viewer: str | None = None) -> list[Shown]:
    """`size` batches, oldest first, without the first `start`; `viewer` as in `shown`."""
    return _PAGE.rows(connection, viewer, start=start, size=size)


def total(connection: Connection) -> int:
    """How many batches there are. Two index counts: no row is read."""
    (counted,) = _TOTAL.rows(connection)[0]
    return int(counted)


def claimed_ids(connection: Connection, node: str) -> list[int]:
    """Batches that a node has taken on and that have not ended."""
    return list(connection.execute(_CLAIMED_IDS, {"node": node}).scalars())


def unwanted_ids(connection: Connection) -> list[int]:
    """Batches to be killed that nobody has taken on, and those of which nothing is to remain."""
    return [
        *connection.execute(_KILLED_WAITING_IDS).scalars(),
        *connection.execute(_DELETED_IDS).scalars(),
    ]


def known_run_keys(connection: Connection, run_keys: Iterable[str]) -> set[str]:
    """Those run keys that belong to a batch."""
    return set(connection.execute(_RUN_KEYS, {"run_keys": list(run_keys)}).scalars())


def outlived(connection: Connection, before: int | None, keep: int | None, size: int) -> list[int]:
    """The `size` first to go of the batches that ended before a time, or are more than `keep`: those that
    ended first. None sets no limit.
    """
    surplus = 0 if keep is None else connection.execute(_ENDED_ROWS).scalar_one() - keep
    return [
        batch_id
        for number, (batch_id, at) in enumerate(connection.execute(_ENDED_FIRST, {"size": size}))
        if number < surplus or (before is not None and at < before)
    ]


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
    wanted = update(batch).where(batch.c.id == batch_id, batch.c.finished_at.is_(None)).values(**values)
    if values.keys().isdisjoint(records.COLUMNS):
        connection.execute(wanted)
        return
    changed = connection.execute(wanted.returning(*(batch.c[name] for name in records.COLUMNS))).one_or_none()
    if changed is not None:
        record = records.head((*changed,))
        connection.execute(update(batch).where(batch.c.id == batch_id).values(record=record))


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


def wanted_ids(connection: Connection, wanted: Wanted, start: int, size: int) -> list[int]:
    """Ids of the same batches as those of `wanted_page`."""
    return [*connection.execute(_ids(wanted, start, size)).scalars()]


def shown_of(connection: Connection, ids: Sequence[int], viewer: str | None = None) -> list[Shown]:
    """Those of some batches that are there, in the order of their ids here; `viewer` as in `shown`."""
    statement = _SHOWN_IN_FULL if viewer is None else _SHOWN_TO.params(viewer=viewer)
    found = {row[0]: Shown._make(row) for row in connection.execute(statement.where(batch.c.id.in_(ids)))}
    return [found[id_] for id_ in ids if id_ in found]


def wanted_page(
    connection: Connection, wanted: Wanted, start: int, size: int, viewer: str | None = None
) -> list[Shown]:
    """`size` of the batches wanted, without the first `start`; `viewer` as in `shown`. Those that are passed over
    cost an index entry each, and no row is read.
    """
    order = batch.c.id.desc() if wanted.newest_first else batch.c.id
    ids = _ids(wanted, start, size)
    if viewer is None:
        found = connection.execute(_SHOWN_IN_FULL.where(batch.c.id.in_(ids)).order_by(order))
    else:
        found = connection.execute(_SHOWN_TO.where(batch.c.id.in_(ids)).order_by(order), {"viewer": viewer})
    return [Shown._make(row) for row in found]


def wanted_total(connection: Connection, wanted: Wanted) -> int:
    """How many batches are wanted."""
    if wanted.all:
        return total(connection)
    return connection.execute(_ALL_ROWS.where(*_conditions(wanted))).scalar_one()


def _ids(wanted: Wanted, start: int, size: int) -> Select[Any]:
    order = batch.c.id.desc() if wanted.newest_first else batch.c.id
    return select(batch.c.id).where(*_conditions(wanted)).order_by(order).offset(start).limit(size)


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [batch.c.delete_requested_at.is_(None)]
    if wanted.states:
        conditions.append(batch.c.state.in_(wanted.states))
    if wanted.owner is not None:
        conditions.append(batch.c.owner == wanted.owner)
    if wanted.name is not None:
        conditions.append(batch.c.name == wanted.name)
    if wanted.name_part is not None:
        conditions.append(batch.c.id.in_(_named(wanted.name_part)))
    return conditions


def _named(part: str) -> Select[Any]:
    """Ids of the batches whose name has the part. The index on names has all that it takes: no row is read."""
    return select(batch.c.id).where(batch.c.name.is_not(None), found_anyhow(part, batch.c.name))


def _row(found: Row[Any] | tuple[Any, ...]) -> BatchRow:
    # By position, since pages are made of these: the record has the table's columns, in their order.
    values: tuple[Any, ...] = tuple(found)
    batch_id, run_key, name, owner, proxy_user, state, *others = values
    return BatchRow(batch_id, run_key, name, owner, proxy_user, State(state), *others)


def _row_or_none(found: Row[Any] | None) -> BatchRow | None:
    return None if found is None else _row(found)
