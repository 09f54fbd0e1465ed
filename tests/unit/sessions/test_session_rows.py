"""Rows of sessions, and who of those that wait is next."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from headland.database import Database, upgrade
from headland.jobs.batches.store import DuplicateNameError
from headland.jobs.sessions import store
from headland.jobs.sessions.controller.loop import chosen
from headland.jobs.sessions.listing import Wanted
from headland.jobs.sessions.states import Event, IllegalMoveError, State, move
from headland.jobs.sessions.store import NewSession, SessionRow
from headland.jobs.sessions.tables import session

NODE = "node-a"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    upgrade(f"sqlite:///{tmp_path / 'headland.db'}")
    database = Database.at(tmp_path / "headland.db")
    yield database
    database.close()


def create(database: Database, number: int, name: str | None = None) -> SessionRow:
    new = NewSession(f"{number:032}", name, "owner", None, "pyspark", b"{}", 1000 + number)
    return database.write_and_wait(lambda connection: store.create(connection, new))


def change(database: Database, row: SessionRow, **values: object) -> None:
    database.write_and_wait(lambda connection: store.change(connection, row.id, **values))


def test_the_record_has_the_columns_in_their_order() -> None:
    assert [field.name for field in dataclasses.fields(SessionRow)] == list(session.columns.keys())


def test_ids_count_from_0_and_names_are_unique_among_the_living(database: Database) -> None:
    first = create(database, 0, "plough")
    assert (first.id, first.state) == (0, State.STARTING)
    with pytest.raises(DuplicateNameError) as raised:
        create(database, 1, "plough")
    assert raised.value.holder == 0
    change(database, first, finished_at=5, state=State.DEAD)
    assert create(database, 2, "plough").id == 1
    assert database.read(lambda connection: store.find(connection, "plough")).id == 1


def test_one_node_takes_it(database: Database) -> None:
    row = create(database, 0)
    assert database.write_and_wait(lambda connection: store.claim(connection, row.id, NODE, 7))
    assert not database.write_and_wait(lambda connection: store.claim(connection, row.id, "node-b", 8))


def test_what_ended_stays_as_it_ended(database: Database) -> None:
    row = create(database, 0)
    change(database, row, finished_at=5, state=State.DEAD)
    change(database, row, state=State.IDLE)
    database.write_and_wait(lambda connection: store.request_stop(connection, row.id, 9, "late"))
    found = database.read(lambda connection: store.get(connection, row.id))
    assert (found.state, found.stop_requested_at) == (State.DEAD, None)


def test_the_first_reason_stays(database: Database) -> None:
    row = create(database, 0)
    for at, reason in ((1, "idle"), (2, "asked")):
        database.write_and_wait(
            lambda connection, at=at, reason=reason: store.request_stop(connection, row.id, at, reason)
        )
    found = database.read(lambda connection: store.get(connection, row.id))
    assert (found.stop_requested_at, found.stop_reason) == (1, "idle")


def test_the_deleted_are_not_seen(database: Database) -> None:
    row = create(database, 0)
    create(database, 1)
    assert database.write_and_wait(lambda connection: store.request_delete(connection, row.id, 3))
    assert not database.write_and_wait(lambda connection: store.request_delete(connection, row.id, 4))
    total, listed, found, unfinished = database.read(
        lambda connection: (
            store.total(connection, Wanted()),
            store.ids(connection, Wanted(), 0, 10),
            store.find(connection, row.id),
            store.unfinished(connection),
        )
    )
    assert (total, listed, found) == (1, [1], None)
    assert [each.id for each in unfinished] == [0, 1]


def test_who_goes_first_by_age_and_number(database: Database) -> None:
    for number in range(4):
        change(database, create(database, number), finished_at=100 - number)
    old, surplus, none = database.read(
        lambda connection: (
            store.outlived(connection, 99, None, 10),
            store.outlived(connection, None, 3, 10),
            store.outlived(connection, None, None, 10),
        )
    )
    assert (old, surplus, none) == ([3, 2], [3], [])


def rows(text: str) -> list[SessionRow]:
    """Sessions by owner; a capital letter is one that is up."""
    made = NewSession("", None, None, None, "pyspark", b"", 0)
    blank = {field.name: None for field in dataclasses.fields(SessionRow)}
    return [
        SessionRow(
            **{
                **blank,
                "id": number,
                "kind": made.kind,
                "owner": owner.lower(),
                "claimed_by": NODE if owner.isupper() else None,
            }
        )
        for number, owner in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("text", "most", "of_owner", "expected"),
    [
        ("abc", 2, 0, [0, 1]),
        ("Aabc", 2, 0, [1]),
        ("AB", 2, 0, []),
        ("ABc", 2, 0, []),
        ("aabb", 4, 1, [0, 2]),
        ("Aab", 4, 1, [2]),
        ("", 4, 1, []),
    ],
)
def test_who_is_next(text: str, most: int, of_owner: int, expected: list[int]) -> None:
    assert [row.id for row in chosen(rows(text), NODE, most, of_owner)] == expected


def test_moves() -> None:
    assert move(State.STARTING, Event.INTERPRETER_READY) is State.IDLE
    with pytest.raises(IllegalMoveError):
        move(State.DEAD, Event.INTERPRETER_READY)
