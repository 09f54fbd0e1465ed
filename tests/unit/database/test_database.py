"""Reads, durable writes and group commit, on SQLite and PostgreSQL."""

import asyncio
import multiprocessing
import multiprocessing.connection
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, text
from sqlalchemy.exc import OperationalError
from tests.databases import ON_SQLITE, SYSTEMS, Template, made_once

from headland.database import Database, DatabaseUnavailableError
from headland.database.changes import Changes
from headland.database.database import MOST_REMEMBERED
from headland.database.upgrade import HEAD, MIGRATIONS, NewerDatabaseError, upgrade

NOTES = Table("note", MetaData(), Column("id", Integer, primary_key=True), Column("name", Text, unique=True))


@pytest.fixture(scope="session", params=SYSTEMS)
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template[None]:
    def prepare(url: str) -> None:
        upgrade(url)
        database = Database(url)
        database.write_and_wait(NOTES.create)
        database.close()

    folder = tmp_path_factory.mktemp("database")
    return made_once("database", request.param, lambda: Template(request.param, folder, prepare))


@pytest.fixture
def database(template: Template[None], tmp_path: Path) -> Iterator[Database]:
    with template.copied(tmp_path / "test.db") as url:
        opened = Database(url, busy_timeout=0.2)
        yield opened
        opened.close()


def add(name: str) -> "object":
    def change(connection: Connection) -> int:
        return connection.execute(
            text("INSERT INTO note (name) VALUES (:n) RETURNING id"), {"n": name}
        ).scalar_one()

    return change


def count(connection: Connection) -> int:
    return connection.execute(text("SELECT count(*) FROM note")).scalar_one()


async def all_of(*changes: "asyncio.Future[int]") -> list[object]:
    return list(await asyncio.gather(*changes, return_exceptions=True))


def test_an_acknowledged_write_is_there_for_others(database: Database) -> None:
    asyncio.run(database.write(add("a")))
    other = Database(database.url)
    assert other.read(lambda c: c.execute(text("SELECT name FROM note")).scalars().all()) == ["a"]
    other.close()


def test_one_that_fails_in_a_group_undoes_itself_alone(database: Database) -> None:
    async def many() -> list[object]:
        return await all_of(*(database.write(add(name)) for name in ("a", "b", "a", "c")))

    outcomes = asyncio.run(many())
    assert [type(outcome).__name__ for outcome in outcomes] == ["int", "int", "IntegrityError", "int"]
    assert database.read(count) == 3


@ON_SQLITE
def test_writes_that_arrive_together_share_commits(database: Database, tmp_path: Path) -> None:
    async def many() -> list[object]:
        return await all_of(*(database.write(add(f"n{i}")) for i in range(500)))

    before = commits_in(tmp_path / "test.db-wal")
    assert sorted(asyncio.run(many())) == list(range(1, 501))
    assert commits_in(tmp_path / "test.db-wal") - before == 2


def commits_in(log: Path) -> int:
    """Frames of a write-ahead log that end a transaction (https://sqlite.org/fileformat.html#the_wal_format)."""
    if not log.exists():
        return 0
    content = log.read_bytes()
    size, salt = int.from_bytes(content[8:12]), content[16:24]
    frames = [content[start : start + 24] for start in range(32, len(content), 24 + size)]
    return sum(frame[8:16] == salt and frame[4:8] != bytes(4) for frame in frames)


def test_readers_can_not_write(database: Database) -> None:
    with pytest.raises(DatabaseUnavailableError, match=r"read-?only"):
        database.read(add("a"))


def test_a_snapshot_sees_one_moment(database: Database) -> None:
    def twice(connection: Connection) -> tuple[int, int]:
        first = count(connection)
        database.write_and_wait(add("between"))
        return first, count(connection)

    assert database.read_snapshot(twice) == (0, 0)
    assert database.read(count) == 1


def test_what_is_remembered_lasts_until_somebody_commits(database: Database) -> None:
    asked = []

    def look(connection: Connection) -> int:
        asked.append(1)
        return count(connection)

    assert [database.read_remembered("count", look) for _ in range(3)] == [0, 0, 0]
    assert len(asked) == 1
    other = Database(database.url)
    for number in range(1, 4):
        other.write_and_wait(add(str(number)))
        assert [database.read_remembered("count", look) for _ in range(2)] == [number, number]
    other.close()
    assert database.read_remembered("another", lambda connection: -count(connection)) == -3
    database.write_and_wait(add("own"))
    assert database.read_remembered("count", look) == 4
    assert len(asked) == 5


def test_what_another_process_was_told_of_is_seen_at_once(database: Database) -> None:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_write_and_tell, args=(database.url, theirs))
    process.start()
    told = 0
    while told < TOLD:
        told = ours.recv()
        assert database.read_remembered("count", count) >= told
    process.join()


TOLD = 200


def _write_and_tell(url: str, pipe: multiprocessing.connection.Connection) -> None:
    database = Database(url)
    for number in range(1, TOLD + 1):
        database.write_and_wait(add(str(number)))
        pipe.send(number)
    database.close()


@ON_SQLITE
@pytest.mark.parametrize("marked", [True, False])
def test_who_leaves_no_mark_is_seen_all_the_same(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marked: bool
) -> None:
    """Some other program, a process that was killed in between; or there is no place for a mark."""
    asked = []
    monkeypatch.setattr("headland.database.database.LONGEST_UNASKED", 0.0 if marked else 60.0)
    if not marked:
        database = Database(f"{database.url}")
        database._system.changes = Changes(tmp_path / "no such folder" / "file")
        assert database._system.changes.mark is None

    def look(connection: Connection) -> int:
        asked.append(1)
        return count(connection)

    assert [database.read_remembered("count", look) for _ in range(3)] == [0, 0, 0]
    assert len(asked) == 1
    other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
    for number in range(1, 4):
        other.execute("INSERT INTO note (name) VALUES (?)", (str(number),))
        assert [database.read_remembered("count", look) for _ in range(2)] == [number, number]
    other.execute("BEGIN")
    other.execute("INSERT INTO note (name) VALUES ('open')")
    assert database.read_remembered("count", look) == 3
    other.execute("COMMIT")
    other.close()
    assert [database.read_remembered("count", look) for _ in range(2)] == [4, 4]
    assert len(asked) == 5


def test_a_version_stays_until_somebody_commits(database: Database) -> None:
    first = database.version()
    assert database.version() == first
    database.write_and_wait(add("own"))
    second = database.version()
    assert second != first
    # Another connection counts from its own start, which may be the same number.
    with pytest.raises(DatabaseUnavailableError):
        database.read(lambda c: c.execute(text("SELECT * FROM nowhere")))
    assert database.version() not in {first, second}


def test_a_commit_between_look_and_query_is_not_remembered_as_older(database: Database) -> None:
    def late(connection: Connection) -> int:
        counted = count(connection)
        database.write_and_wait(add("late"))
        return counted

    assert database.read_remembered("count", late) == 0
    assert database.read_remembered("count", count) == 1


def test_not_everything_is_remembered(database: Database) -> None:
    for key in range(3 * MOST_REMEMBERED // 100):
        assert database.read_remembered(key, count, rows=100) == 0
        assert len(database._own.remembered.answers) <= MOST_REMEMBERED / 100 + 1


def test_what_is_not_there_is_not_remembered_and_nothing_is_for_free(database: Database) -> None:
    asked = []

    def missing(_connection: Connection) -> None:
        asked.append(1)

    assert [database.read_remembered("missing", missing) for _ in range(2)] == [None, None]
    assert len(asked) == 2
    for key in range(2 * MOST_REMEMBERED):
        database.read_remembered(key, lambda _connection: "", rows=0)
    assert len(database._own.remembered.answers) <= MOST_REMEMBERED + 1


@ON_SQLITE
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


@ON_SQLITE
def test_a_database_that_is_away_is_unavailable_until_it_is_back(database: Database, tmp_path: Path) -> None:
    database.write_and_wait(add("a"))
    database.close()
    file, away = tmp_path / "test.db", tmp_path / "away.db"
    file.rename(away)
    other = Database.at(file)
    with pytest.raises(DatabaseUnavailableError, match="unable to open"):
        other.read(count)
    with pytest.raises(DatabaseUnavailableError, match="unable to open"):
        other.write_and_wait(add("b"))
    assert not file.exists()
    away.rename(file)
    assert other.write_and_wait(add("b")) == 2
    assert other.read(count) == 2
    other.close()


@ON_SQLITE
def test_after_a_failure_the_file_that_is_there_is_opened(database: Database, tmp_path: Path) -> None:
    database.write_and_wait(add("a"))
    database.close()
    file, away = tmp_path / "test.db", tmp_path / "away.db"
    file.rename(away)
    file.touch()
    other = Database.at(file)
    with pytest.raises(DatabaseUnavailableError, match="no such table"):
        other.read(count)
    with pytest.raises(DatabaseUnavailableError, match="no such table"):
        other.write_and_wait(add("b"))
    away.rename(file)
    assert other.read(count) == 1
    assert other.write_and_wait(add("b")) == 2
    other.close()


@ON_SQLITE
def test_when_sqlite_undoes_a_group_nothing_of_it_is_kept_and_all_are_told(database: Database) -> None:
    def fail(connection: Connection) -> None:
        # What SQLite does by itself where it can't write a page in the middle of a transaction.
        connection.exec_driver_sql("ROLLBACK")
        raise OperationalError("INSERT", None, sqlite3.OperationalError("disk I/O error"))

    async def many() -> list[object]:
        entered, release = threading.Event(), threading.Event()

        def hold(_connection: Connection) -> None:
            entered.set()
            assert release.wait(10)

        # What is submitted while this one is under way becomes one group.
        first = asyncio.create_task(database.write(hold))
        await asyncio.to_thread(entered.wait, 10)
        group = [asyncio.create_task(database.write(change)) for change in (add("a"), fail, add("b"))]
        await asyncio.sleep(0)
        release.set()
        return (await all_of(first, *group))[1:]

    outcomes = asyncio.run(many())
    assert [type(outcome).__name__ for outcome in outcomes] == ["DatabaseUnavailableError"] * 3
    assert database.read(count) == 0
    assert database.write_and_wait(add("c")) == 1


def test_what_was_submitted_before_the_end_is_answered(database: Database) -> None:
    async def last() -> object:
        write = asyncio.create_task(database.write(add("last")))
        await asyncio.sleep(0)
        database.close()
        return await write

    assert asyncio.run(last()) == 1


def test_who_writes_to_a_closed_database_is_told_and_does_not_wait(database: Database) -> None:
    database.write_and_wait(add("a"))
    database.close()

    async def late() -> object:
        return await asyncio.wait_for(database.write(add("b")), 20)

    with pytest.raises(RuntimeError):
        asyncio.run(late())


def test_several_event_loops_write_at_once(database: Database) -> None:
    def one(loop: int) -> list[object]:
        return asyncio.run(all_of(*(database.write(add(f"{loop}-{number}")) for number in range(50))))

    with ThreadPoolExecutor(4) as threads:
        made = [number for numbers in threads.map(one, range(4)) for number in numbers]
    assert sorted(made) == list(range(1, 201))


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

        import headland.server.applications  # noqa: F401 - all services register their tables
        from headland.database import metadata

        url = f"sqlite:///{tmp_path / 'new.db'}"
        upgrade(url)
        engine = create_engine(url)
        with engine.connect() as connection:
            found = compare_metadata(MigrationContext.configure(connection), metadata)
        engine.dispose()
        # Indexes are the migrations' business alone.
        assert [change for change in found if change[0] != "remove_index"] == []


def test_what_is_written_behind_is_there_when_the_database_is_closed(tmp_path: Path) -> None:
    (tmp_path / "test.db").touch()
    opened = Database.at(tmp_path / "test.db")
    opened.write_and_wait(lambda c: c.execute(text("CREATE TABLE note (name TEXT UNIQUE)")))
    failures: list[BaseException] = []
    for name in ("a", "a", "b"):
        opened.write_behind(
            lambda c, name=name: c.execute(text("INSERT INTO note VALUES (:n)"), {"n": name}), failures.append
        )
    opened.close()
    other = sqlite3.connect(tmp_path / "test.db")
    assert other.execute("SELECT name FROM note ORDER BY name").fetchall() == [("a",), ("b",)]
    other.close()
    # Whoever goes on without it is told of the one that was not made.
    assert [type(failure).__name__ for failure in failures] == ["IntegrityError"]
