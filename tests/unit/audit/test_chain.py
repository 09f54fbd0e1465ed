"""The chain: what was recorded is found good, and whatever was done to it afterwards is found out."""

import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from headland.audit import Actor, Entry, generation, record, store
from headland.audit.chain import BEGINNING, BrokenChainError, digest, follow
from headland.database import Database, upgrade

SOMEBODY = Actor("192.0.2.1", "client", "object", "tenant", "request")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.at(tmp_path / "audit.db")
    upgrade(opened.url)
    yield opened
    opened.close()


def add(database: Database, number: int) -> Entry:
    return database.write_and_wait(
        lambda connection: record(
            connection,
            SOMEBODY,
            "thing.made",
            f"thing/{number}",
            now=number,
            tenant_id=None,
            after={"größe": number, "a": None},
        )
    )


@pytest.fixture
def entries(database: Database) -> list[Entry]:
    made = [add(database, number) for number in range(1, 6)]
    assert database.read(lambda connection: store.following(connection, 0, 100)) == made
    return made


def test_what_was_recorded_is_found_good(entries: list[Entry]) -> None:
    assert [entry.sequence for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[2].after == '{"a":null,"größe":3}'
    assert follow(entries, 0, BEGINNING) == (5, entries[-1].hash)
    assert follow(entries[3:], 3, entries[2].hash) == (5, entries[-1].hash)


@pytest.mark.parametrize("field", ["at", "action", "target", "by_client_id", "source", "after", "hash"])
def test_a_changed_entry_is_found_out(entries: list[Entry], field: str) -> None:
    other = {"at": 7, "hash": bytes(32)}.get(field, "other")
    entries[2] = replace(entries[2], **{field: other})
    with pytest.raises(BrokenChainError, match="entry 3 is not"):
        follow(entries, 0, BEGINNING)


def test_the_job_through_which_a_change_was_made_is_covered(database: Database, entries: list[Entry]) -> None:
    made = database.write_and_wait(
        lambda connection: record(
            connection,
            replace(SOMEBODY, job="batch/7"),
            "thing.made",
            "thing/6",
            now=6,
            tenant_id=None,
        )
    )
    assert made.by_job == "batch/7"
    # Entries without a job are hashed as they were before there were any.
    assert digest(entries[-2].hash, *astuple(entries[-1])[:-2]) == entries[-1].hash
    assert database.read(lambda connection: store.following(connection, 5, 100)) == [made]
    assert follow([*entries, made], 0, BEGINNING) == (6, made.hash)
    for forged in (replace(made, by_job=None), replace(made, by_job="batch/8")):
        with pytest.raises(BrokenChainError, match="entry 6 is not"):
            follow([*entries, forged], 0, BEGINNING)
    with pytest.raises(BrokenChainError, match="entry 2 is not"):
        follow([entries[0], replace(entries[1], by_job="batch/7")], 0, BEGINNING)


def test_a_missing_entry_is_found_out(entries: list[Entry]) -> None:
    with pytest.raises(BrokenChainError, match="entry 3 is missing"):
        follow(entries[:2] + entries[3:], 0, BEGINNING)
    renumbered = entries[:2] + [replace(entry, sequence=entry.sequence - 1) for entry in entries[3:]]
    with pytest.raises(BrokenChainError, match="entry 3 is not"):
        follow(renumbered, 0, BEGINNING)


def test_the_database_refuses_to_change_the_trail(database: Database, entries: list[Entry]) -> None:
    connection = sqlite3.connect(database.url.removeprefix("sqlite:///"))
    into = "INTO audit_entry (sequence, at, action, target, source, hash) VALUES"
    for statement in (
        "UPDATE audit_entry SET action = 'x' WHERE sequence = 2",
        "DELETE FROM audit_entry",
        "DELETE FROM audit_entry WHERE sequence = 5",
        f"INSERT OR REPLACE {into} (2, 1, 'x', 'x', 'x', x'00')",
        f"INSERT {into} (9, 1, 'x', 'x', 'x', x'00')",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
            connection.execute(statement)
    connection.close()
    assert database.read(lambda found: store.following(found, 0, 100)) == entries


def test_an_entry_is_there_with_its_change_or_not_at_all(database: Database, entries: list[Entry]) -> None:
    def fail(connection: object) -> None:
        record(connection, SOMEBODY, "thing.made", "thing", now=1, tenant_id=None)  # type: ignore[arg-type]
        store.add(connection, entries[0])  # type: ignore[arg-type]

    with pytest.raises(IntegrityError):
        database.write_and_wait(fail)
    assert database.read(generation) == 5


def test_every_entry_makes_the_generation_larger(database: Database) -> None:
    assert database.read(generation) == 0
    add(database, 1)
    assert database.read(generation) == 1
