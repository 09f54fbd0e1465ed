"""Reads, durable writes and group commit, on a real SQLite file."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from headland.database import Database, DatabaseUnavailableError
from headland.database.database import MOST_REMEMBERED
from headland.database.upgrade import HEAD, MIGRATIONS, NewerDatabaseError, upgrade


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.at(tmp_path / "test.db", busy_timeout=0.2)
    opened.write_and_wait(
        lambda c: c.execute(text("CREATE TABLE row (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"))
    )
    yield opened
    opened.close()


def add(name: str) -> "object":
    def change(connection: Connection) -> int:
        return connection.execute(
            text("INSERT INTO row (name) VALUES (:n) RETURNING id"), {"n": name}
        ).scalar_one()

    return change


def count(connection: Connection) -> int:
    return connection.execute(text("SELECT count(*) FROM row")).scalar_one()


async def all_of(*changes: "asyncio.Future[int]") -> list[object]:
    return list(await asyncio.gather(*changes, return_exceptions=True))


def test_an_acknowledged_write_is_in_the_file(database: Database, tmp_path: Path) -> None:
    asyncio.run(database.write(add("a")))
    other = sqlite3.connect(tmp_path / "test.db")
    assert other.execute("SELECT name FROM row").fetchall() == [("a",)]
    other.close()


def test_one_that_fails_in_a_group_undoes_itself_alone(database: Database) -> None:
    async def many() -> list[object]:
        return await all_of(*(database.write(add(name)) for name in ("a", "b", "a", "c")))

    outcomes = asyncio.run(many())
    assert [type(outcome).__name__ for outcome in outcomes] == ["int", "int", "IntegrityError", "int"]
    assert database.read(count) == 3


def test_writes_that_arrive_together_share_commits(database: Database, tmp_path: Path) -> None:
    async def many() -> list[object]:
        return await all_of(*(database.write(add(f"n{i}")) for i in range(500)))

    before = commits_of(database)
    assert sorted(asyncio.run(many())) == list(range(1, 501))
    assert commits_of(database) - before < 100


def commits_of(database: Database) -> int:
    """SQLite counts commits that other connections made."""
    return database.read(lambda c: c.exec_driver_sql("PRAGMA data_version").scalar_one())


def test_readers_can_not_write(database: Database) -> None:
    with pytest.raises(DatabaseUnavailableError, match="readonly"):
        database.read(add("a"))


def test_a_snapshot_sees_one_moment(database: Database) -> None:
    def twice(connection: Connection) -> tuple[int, int]:
        first = count(connection)
        database.write_and_wait(add("between"))
        return first, count(connection)

    assert database.read_snapshot(twice) == (0, 0)
    assert database.read(count) == 1


def test_what_is_remembered_lasts_until_somebody_commits(database: Database, tmp_path: Path) -> None:
    asked = []

    def look(connection: Connection) -> int:
        asked.append(1)
        return count(connection)

    assert [database.read_remembered("count", look) for _ in range(3)] == [0, 0, 0]
    assert len(asked) == 1
    other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
    for number in range(1, 4):
        other.execute("INSERT INTO row (name) VALUES (?)", (str(number),))
        assert [database.read_remembered("count", look) for _ in range(2)] == [number, number]
    other.execute("BEGIN")
    other.execute("INSERT INTO row (name) VALUES ('open')")
    assert database.read_remembered("count", look) == 3
    other.execute("COMMIT")
    other.close()
    assert database.read_remembered("count", look) == 4
    assert database.read_remembered("another", lambda connection: -count(connection)) == -4
    database.write_and_wait(add("own"))
    assert database.read_remembered("count", look) == 5
    assert len(asked) == 6


def test_a_commit_between_look_and_query_is_not_remembered_as_older(database: Database) -> None:
    def late(connection: Connection) -> int:
        counted = count(connection)
        database.write_and_wait(add("late"))
        return counted

    assert database.read_remembered("count", late) == 0
    assert database.read_remembered("count", count) == 1


def test_not_everything_is_remembered(database: Database) -> None:
    for key in range(3 * MOST_REMEMBERED):
        assert database.read_remembered(key, count) == 0
    assert len(database._own.remembered[1]) <= MOST_REMEMBERED + 1


def test_a_locked_database_is_unavailable_and_keeps_nothing(database: Database, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseUnavailableError, match="locked"):
        asyncio.run(database.write(add("a")))
    other.execute("ROLLBACK")
    other.close()
    assert database.read(count) == 0
    asyncio.run(database.write(add("a")))
    assert database.read(count) == 1


def test_a_caller_that_goes_away_leaves_its_write_done(database: Database) -> None:
    entered, release = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        entered.set()
        assert release.wait(10)
        add("slow")(connection)

    async def impatient() -> None:
        task = asyncio.create_task(database.write(slow))
        await asyncio.to_thread(entered.wait, 10)
        task.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(impatient())
    assert database.write_and_wait(count) == 1


class TestUpgrade:
    def test_head_is_the_newest_migration(self) -> None:
        newest = max(file.name.split("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))
        assert newest == HEAD

    def test_is_repeatable(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path / 'new.db'}"
        upgrade(url)
        upgrade(url)
        connection = sqlite3.connect(tmp_path / "new.db")
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
        connection.close()

    def test_refuses_what_a_later_one_wrote(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path / 'new.db'}"
        upgrade(url)
        connection = sqlite3.connect(tmp_path / "new.db")
        with connection:
            connection.execute("UPDATE alembic_version SET version_num = 'later'")
        connection.close()
        with pytest.raises(NewerDatabaseError, match="later"):
            upgrade(url)

    @pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
    def test_tables_are_what_the_services_say(self, tmp_path: Path) -> None:
        from alembic.autogenerate import compare_metadata
        from alembic.migration import MigrationContext
        from sqlalchemy import create_engine

        import headland.identity.tables
        import headland.jobs.batches.tables  # noqa: F401 - both register their tables
        from headland.database import metadata

        url = f"sqlite:///{tmp_path / 'new.db'}"
        upgrade(url)
        engine = create_engine(url)
        with engine.connect() as connection:
            found = compare_metadata(MigrationContext.configure(connection), metadata)
        engine.dispose()
        # Indexes are the migrations' business alone.
        assert [change for change in found if change[0] != "remove_index"] == []
