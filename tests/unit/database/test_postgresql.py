"""What PostgreSQL has of its own: connections that are lost, servers that go and come back, sessions, schemas."""

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, Text, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from tests.postgres import Cluster, cluster

from headland.database import Database, DatabaseUnavailableError, upgrade
from headland.database.postgresql import (
    OtherHomeError,
    Owner,
    PostgresServer,
    await_server,
    claim,
    laying_out,
)
from headland.database.prepared import Prepared
from headland.database.system import shown
from headland.database.upgrade import NewerDatabaseError

TALLY = Table("tally", MetaData(), Column("name", Text, primary_key=True), Column("count", BigInteger))
PATIENCE = 0.5


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    url = cluster().database()
    upgrade(url)
    database = Database(url)
    database.write_and_wait(TALLY.create)
    database.close()
    yield url
    cluster().drop(url)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(url, busy_timeout=PATIENCE)
    opened.write_and_wait(lambda c: c.execute(TALLY.delete()))
    yield opened
    opened.close()


def count_up(connection: Connection) -> int:
    """Read, then write: what takes turns counts right."""
    row = connection.execute(TALLY.select()).one_or_none()
    if row is None:
        connection.execute(TALLY.insert().values(name="all", count=1))
        return 1
    connection.execute(TALLY.update().values(count=row.count + 1))
    return row.count + 1


def counted(connection: Connection) -> int:
    return connection.execute(text("SELECT coalesce(sum(count), 0) FROM tally")).scalar_one()


def kill_backend(connection: Connection) -> None:
    """What an administrator or the kernel may do to the connection of a session."""
    own = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    cluster().execute(f"SELECT pg_terminate_backend({own})")


class TestWriting:
    def test_writers_of_several_processes_take_turns(self, url: str, database: Database) -> None:
        writers = [Database(url, busy_timeout=20) for _ in range(4)]
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(lambda n: writers[n % 4].write_and_wait(count_up), range(200)))
        for writer in writers:
            writer.close()
        assert sorted(made) == list(range(1, 201))
        assert database.read(counted) == 200

    def test_who_waits_too_long_for_another_is_told_so(self, url: str, database: Database) -> None:
        entered, release = threading.Event(), threading.Event()

        def hold(_connection: Connection) -> None:
            entered.set()
            release.wait(20)

        other = Database(url)
        with ThreadPoolExecutor(1) as threads:
            held = threads.submit(other.write_and_wait, hold)
            assert entered.wait(10)
            with pytest.raises(DatabaseUnavailableError, match="lock timeout"):
                database.write_and_wait(count_up)
            release.set()
            held.result()
        other.close()
        assert database.write_and_wait(count_up) == 1

    def test_a_change_whose_connection_is_lost_is_made_anew(self, database: Database) -> None:
        tries = []

        def change(connection: Connection) -> int:
            tries.append(1)
            made = count_up(connection)
            if len(tries) == 1:
                kill_backend(connection)
                connection.execute(text("SELECT 1"))
            return made

        assert database.write_and_wait(change) == 1
        assert (len(tries), database.read(counted)) == (2, 1)

    def test_one_that_always_loses_it_is_given_up(self, database: Database) -> None:
        tries = []

        def change(connection: Connection) -> None:
            tries.append(1)
            count_up(connection)
            kill_backend(connection)
            connection.execute(text("SELECT 1"))

        with pytest.raises(DatabaseUnavailableError):
            database.write_and_wait(change)
        assert (len(tries), database.read(counted)) == (2, 0)
        assert database.write_and_wait(count_up) == 1

    @pytest.mark.parametrize("arrived", [True, False])
    def test_what_became_of_a_commit_without_an_answer_is_found_out(
        self, database: Database, monkeypatch: pytest.MonkeyPatch, arrived: bool
    ) -> None:
        real = Connection.commit

        def lose(connection: Connection) -> None:
            driver: Any = connection.connection.driver_connection
            if arrived:
                real(connection)
            driver.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(Connection, "commit", lose)
        if arrived:
            assert database.write_and_wait(count_up) == 1
        else:
            with pytest.raises(DatabaseUnavailableError, match="unexpectedly"):
                database.write_and_wait(count_up)
        monkeypatch.undo()
        assert database.read(counted) == int(arrived)

    def test_what_a_commit_refuses_is_the_changes_own_error(self, database: Database) -> None:
        def break_at_the_end(connection: Connection) -> None:
            connection.execute(text("CREATE TABLE late (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
            connection.execute(text("INSERT INTO late VALUES (1), (1)"))

        with pytest.raises(IntegrityError):
            database.write_and_wait(break_at_the_end)
        assert database.write_and_wait(count_up) == 1

    def test_text_with_nul_is_kept_with_its_picture(self, database: Database) -> None:
        insert = Prepared(TALLY.insert().values(name="a\0b", count=1))
        database.write_and_wait(insert.rows)
        assert database.read(lambda c: c.execute(text("SELECT name FROM tally")).scalar_one()) == "a\u2400b"
        assert database.read(lambda c: c.execute(TALLY.select().where(TALLY.c.name == "a\0b")).one())


class TestReading:
    def test_a_query_whose_connection_is_lost_is_asked_again(self, database: Database) -> None:
        database.write_and_wait(count_up)
        asked = []

        def query(connection: Connection) -> int:
            asked.append(1)
            if len(asked) == 1:
                kill_backend(connection)
            return counted(connection)

        assert database.read(query) == 1
        assert len(asked) == 2
        assert database.read_snapshot(counted) == 1

    def test_after_a_failed_query_the_next_goes_on(self, database: Database) -> None:
        for read in (database.read, database.read_snapshot):
            with pytest.raises(DatabaseUnavailableError, match="nowhere"):
                read(lambda c: c.execute(text("SELECT * FROM nowhere")))
            with pytest.raises(DBAPIError):
                read(lambda c: c.execute(text("SELECT 1 / 0")))
            assert read(counted) == 0

    def test_a_query_that_takes_too_long_is_ended(self, database: Database) -> None:
        with pytest.raises(DatabaseUnavailableError, match="statement timeout"):
            database.read(lambda c: c.execute(text("SELECT pg_sleep(20)")))

    def test_no_more_connections_than_allowed(self, url: str) -> None:
        server = PostgresServer(url, PATIENCE, connections=2)
        main, inside, release = server.main(), threading.Semaphore(0), threading.Event()

        def hold(_connection: Connection) -> None:
            inside.release()
            release.wait(20)

        with ThreadPoolExecutor(2) as threads:
            held = [threads.submit(main.read, hold) for _ in range(2)]
            assert all(inside.acquire(timeout=10) for _ in range(2))
            with pytest.raises(DatabaseUnavailableError, match="all 2 connections"):
                main.read(counted)
            release.set()
            [each.result() for each in held]
        assert main.read(counted) == 0
        server.close()

    def test_schemas_do_not_see_each_other(self, url: str) -> None:
        with laying_out(url, "other") as connection:
            connection.execute(text("CREATE TABLE own (a int)"))
        server = PostgresServer(url, PATIENCE)
        main, other = server.main(), server.schema("other")
        for _ in range(2):
            assert main.read(counted) == 0
            assert other.read(lambda c: c.execute(text("SELECT count(*) FROM own")).scalar_one()) == 0
            with pytest.raises(DatabaseUnavailableError, match="tally"):
                other.read(counted)
            with pytest.raises(DatabaseUnavailableError, match="own"):
                main.read(lambda c: c.execute(text("SELECT * FROM own")))
        seen = main.version()
        other.write(lambda c: c.execute(text("INSERT INTO own VALUES (1)")))
        assert main.version() == seen
        server.close()


def test_tables_that_somebody_reads_are_not_waited_for_long(url: str) -> None:
    server = PostgresServer(url, PATIENCE)
    with server.laying_out("read") as connection:
        connection.execute(text("CREATE TABLE own (a int)"))
    with server.schema("read").snapshot() as connection:
        connection.execute(text("SELECT * FROM own"))
        with pytest.raises(DatabaseUnavailableError, match="lock timeout"):
            server.drop_schema("read")
    server.drop_schema("read")
    assert not server.has_schema("read")
    server.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """One that nobody else needs."""
    own = Cluster(cluster().programs)
    yield own
    own.throw_away()


class TestServersThatGo:
    @pytest.fixture
    def own(self, server: Cluster) -> Iterator[Database]:
        url = server.database()
        upgrade(url)
        database = Database(url, busy_timeout=PATIENCE)
        database.write_and_wait(TALLY.create)
        yield database
        database.close()

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
    def test_nothing_is_lost_and_it_goes_on_by_itself(
        self, server: Cluster, own: Database, how: signal.Signals
    ) -> None:
        for number in range(1, 21):
            assert own.write_and_wait(count_up) == number
        server.stop(how)
        with pytest.raises(DatabaseUnavailableError):
            own.read(counted)
        with pytest.raises(DatabaseUnavailableError):
            own.write_and_wait(count_up)
        began = time.monotonic()
        for _ in range(100):
            with pytest.raises(DatabaseUnavailableError):
                own.read(counted)
        assert time.monotonic() - began < 1, "each of them has tried to connect"
        server.start()
        assert eventually(lambda: own.read(counted)) == 20
        assert eventually(lambda: own.write_and_wait(count_up)) == 21

    def test_who_starts_first_waits(self, server: Cluster) -> None:
        url, told = server.url("postgres"), []
        server.stop()
        await_server(url, 0.5, told.append)
        assert len(told) == 1
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(await_server, url, 60.0, told.append)
            server.start()
            waiting.result()
        await_server(url, 0.0, told.append)
        upgrade(server.database())

    def test_a_restart_between_two_calls_is_not_seen(self, server: Cluster, own: Database) -> None:
        assert own.write_and_wait(count_up) == 1
        assert own.read(counted) == 1
        server.stop()
        server.start()
        assert own.read(counted) == 1
        assert own.write_and_wait(count_up) == 2

    def test_every_acknowledged_write_outlives_a_crash(self, server: Cluster, own: Database) -> None:
        acknowledged = []

        def write() -> None:
            for _ in range(2000):
                try:
                    acknowledged.append(own.write_and_wait(count_up))
                except DatabaseUnavailableError:
                    return

        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 100:
            time.sleep(0.001)
        server.stop(signal.SIGKILL)
        for thread in threads:
            thread.join()
        server.start()
        kept = eventually(lambda: own.read(counted))
        assert len(set(acknowledged)) == len(acknowledged)
        assert kept >= max(acknowledged)


def eventually(what: Any) -> Any:
    deadline = time.monotonic() + 20
    while True:
        try:
            return what()
        except DatabaseUnavailableError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class TestUpgrade:
    @pytest.fixture
    def empty(self) -> Iterator[str]:
        url = cluster().database()
        yield url
        cluster().drop(url)

    def test_of_several_at_once_one_does_it(self, empty: str) -> None:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: upgrade(empty), range(4)))
        upgrade(empty)
        database = Database(empty)
        assert database.read(lambda c: c.execute(text("SELECT count(*) FROM batch")).scalar_one()) == 0
        database.close()

    def test_refuses_what_a_later_one_wrote_and_keeps_the_password(self, empty: str) -> None:
        upgrade(empty)
        with laying_out(empty, "headland") as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
        with pytest.raises(NewerDatabaseError, match="later") as refused:
            upgrade(empty.replace("headland@", "headland:sesame@"))
        assert "sesame" not in str(refused.value)

    def test_shows_no_password(self) -> None:
        assert "sesame" not in shown("postgresql://me:sesame@db.example.com/farm")
        assert "sesame" not in shown("postgresql://db.example.com/farm?user=me&password=sesame")

    def test_is_undone_whole(self, empty: str) -> None:
        def fail() -> None:
            with laying_out(empty, "half") as connection:
                connection.execute(text("CREATE TABLE one (a int)"))
                connection.execute(text("SELECT 1 / 0"))

        with pytest.raises(DatabaseUnavailableError, match="division by zero"):
            fail()
        with laying_out(empty, "half") as connection:
            assert connection.execute(text("SELECT to_regclass('one')")).scalar() is None

    def test_text_is_compared_by_code_point(self, empty: str) -> None:
        upgrade(empty)
        with laying_out(empty, "headland") as connection:
            found = connection.execute(
                text(
                    "SELECT table_name || '.' || column_name FROM information_schema.columns"
                    " WHERE table_schema = 'headland' AND data_type IN ('text', 'character varying')"
                    " AND collation_name IS DISTINCT FROM 'C'"
                )
            )
            assert found.scalars().all() == ["alembic_version.version_num"]

    @pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
    def test_tables_are_what_the_services_say(self, empty: str) -> None:
        from alembic.autogenerate import compare_metadata
        from alembic.migration import MigrationContext

        import headland.server.applications  # noqa: F401 - all services register their tables
        from headland.database import metadata

        upgrade(empty)
        with laying_out(empty, "headland") as connection:
            found = compare_metadata(MigrationContext.configure(connection), metadata)
        # Indexes are the migrations' business alone, and the commits the schema's.
        assert [
            change for change in found if change[0] != "remove_index" and "commits" not in str(change)
        ] == []

    @pytest.mark.parametrize(
        "statement",
        ["UPDATE audit_entry SET action = 'x'", "DELETE FROM audit_entry", "TRUNCATE audit_entry"],
    )
    def test_the_trail_is_only_added_to(self, empty: str, statement: str) -> None:
        upgrade(empty)
        database = Database(empty)
        with pytest.raises(IntegrityError, match="only ever added to"):
            database.write_and_wait(lambda c: c.execute(text(statement)))
        database.close()

    def test_a_database_that_can_not_store_all_text_is_refused(self) -> None:
        name = "ascii"
        cluster().execute(f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        with pytest.raises(DatabaseUnavailableError, match="UTF8"):
            upgrade(cluster().url(name))


def test_a_database_is_one_homes() -> None:
    url = cluster().database()
    try:
        homes = [Owner(f"home-{number}", f"/home/{number} on host") for number in range(4)]
        with ThreadPoolExecutor(len(homes)) as several:
            refused = [done.exception() for done in [several.submit(claim, url, home) for home in homes]]
        assert [type(error) for error in refused if error] == [OtherHomeError] * 3
        own = homes[refused.index(None)]
        # It is found again, has been moved, and is still told apart.
        claim(url, own._replace(place="/moved on host"))
        with pytest.raises(OtherHomeError, match=r"\(/moved on host\).*empty the table headland\.home"):
            claim(url, homes[refused.index(None) - 1])
        upgrade(url)
        with psycopg.connect(url) as driver:
            driver.execute("DELETE FROM headland.home")
        claim(url, homes[refused.index(None) - 1])
    finally:
        cluster().drop(url)
