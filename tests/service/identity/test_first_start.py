"""The first start, alone and in company, and the way back for who lost the secret."""

import threading

import pytest

from headland.database import Database, upgrade
from headland.identity import (
    FirstAdministrator,
    Issuer,
    NotAdministratorError,
    NotInitialisedError,
    initialise,
    reset_administrator,
)
from headland.identity import applications as rules
from headland.settings import IdentitySettings, Settings

NOW = 1_800_000_000_000
SETTINGS = Settings(identity=IdentitySettings(tenant_name="Home farm", secret_lifetime_days=30))


@pytest.fixture
def empty(tmp_path):
    database = Database.at(tmp_path / "empty.db")
    upgrade(database.url)
    yield database
    database.close()


def counts(database: Database) -> list[int]:
    return database.read(
        lambda connection: [
            connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()  # noqa: S608
            for table in ("tenant", "signing_key", "application", "secret")
        ]
    )


def start(database: Database) -> FirstAdministrator | None:
    return database.write_and_wait(lambda connection: initialise(connection, SETTINGS, NOW))


def test_first_start_makes_one_of_each_and_the_second_nothing(empty):
    first = start(empty)
    assert counts(empty) == [1, 1, 1, 1]
    made = empty.read(lambda connection: rules.get(connection, first.tenant_id, first.client_id))
    assert (made.name, made.administrator, made.created_by) == (first.name, True, None)
    assert made.secrets[0].hint == first.secret[:3]
    assert made.secrets[0].expires_at - NOW == 30 * 86_400_000
    assert first.secret not in repr(first)
    assert start(empty) is None
    assert counts(empty) == [1, 1, 1, 1]
    assert Issuer(empty, "https://x.test").tenant("home farm").id == first.tenant_id


def test_first_start_is_all_or_nothing(empty, monkeypatch):
    def broken(*_args, **_named):
        raise RuntimeError("full")

    monkeypatch.setattr(rules, "add_secret", broken)
    with pytest.raises(RuntimeError, match="full"):
        start(empty)
    assert counts(empty) == [0, 0, 0, 0]


def test_of_processes_that_start_at_once_one_makes_it(tmp_path):
    file = tmp_path / "shared.db"
    databases = [Database.at(file) for _ in range(4)]
    upgrade(databases[0].url)
    barrier = threading.Barrier(len(databases))
    results = []

    def process(database: Database) -> None:
        barrier.wait()
        results.append(start(database))

    threads = [threading.Thread(target=process, args=(database,)) for database in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert len([result for result in results if result is not None]) == 1
    assert counts(databases[0]) == [1, 1, 1, 1]
    issuers = [Issuer(database, "https://x.test") for database in databases]
    assert len({issuer.key_set for issuer in issuers}) == 1
    for database in databases:
        database.close()


def test_issuer_of_an_empty_database_says_what_to_do(empty):
    with pytest.raises(NotInitialisedError, match="start Headland once"):
        Issuer(empty, "https://x.test")


def test_reset_adds_a_secret_to_an_enabled_administrator(empty):
    with pytest.raises(NotAdministratorError):
        empty.write_and_wait(lambda connection: reset_administrator(connection, SETTINGS, NOW))
    first = start(empty)
    reset = empty.write_and_wait(lambda connection: reset_administrator(connection, SETTINGS, NOW + 1))
    assert (reset.tenant_id, reset.client_id, reset.name) == (first.tenant_id, first.client_id, first.name)
    assert reset.secret != first.secret
    assert counts(empty) == [1, 1, 1, 2]


def test_reset_of_anything_but_an_enabled_administrator_is_refused(empty):
    first = start(empty)
    plain, other = empty.write_and_wait(
        lambda connection: [
            rules.register(connection, first.tenant_id, "x", administrator=a, created_by=None, now=NOW)
            for a in (False, True)
        ]
    )
    for client_id in (plain.client_id, "nobody"):
        with pytest.raises(NotAdministratorError):
            empty.write_and_wait(
                lambda connection, c=client_id: reset_administrator(connection, SETTINGS, NOW, c)
            )
    named = empty.write_and_wait(
        lambda connection: reset_administrator(connection, SETTINGS, NOW, other.client_id.upper())
    )
    assert named.client_id == other.client_id
    empty.write_and_wait(
        lambda connection: rules.change(
            connection, first.tenant_id, first.client_id, name=None, disabled=True, now=NOW
        )
    )
    with pytest.raises(NotAdministratorError):
        empty.write_and_wait(
            lambda connection: reset_administrator(connection, SETTINGS, NOW, first.client_id)
        )
