"""Object ids of principals of issuers elsewhere were the text of their tokens: what they have goes to the new ones."""

import json

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from headland.database import Database, upgrade
from headland.database.sqlite import sqlite_engine
from headland.database.upgrade import MIGRATIONS
from headland.jobs.identity import decode
from headland.security import Principal
from headland.security.outside.claims import object_id_of

ISSUER = "https://login.example/réalm"
LOCAL = "11111111-2222-4333-8444-555555555555"
OUTSIDE = "22222222-2222-4333-8444-555555555555"


@pytest.fixture
def url(tmp_path):
    """A database as it was before, with a role of somebody known here and of somebody else."""
    made = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sqlite_engine(made, busy_timeout=5.0, writer=True, create=True)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0011")
        connection.execute(text("INSERT INTO tenant (id, name, created_at) VALUES ('t', 'meadow', 1)"))
        connection.execute(
            text(
                "INSERT INTO application (client_id, tenant_id, object_id, name, administrator, created_at) "
                "VALUES ('c', 't', :local, 'Drone', 1, 2)"
            ),
            {"local": LOCAL},
        )
        for name, principal in (("one", LOCAL), ("two", OUTSIDE)):
            connection.execute(
                text(
                    "INSERT INTO role_assignment (name, tenant_id, scope, scope_key, role, principal_id, "
                    "principal_type, created_at, changed_at) VALUES (:name, 't', '/', '/', 'r', :principal, 'x', 1, 1)"
                ),
                {"name": name, "principal": principal},
            )
        connection.execute(
            text(
                "INSERT INTO person_session (key_hash, id, person_id, outside, complete, agent, created_at, used_at, "
                "expires_at) VALUES (x'00', 's', 'p', '{}', 1, '', 1, 1, 1), (x'01', 'u', 'p', NULL, 1, '', 1, 1, 1)"
            )
        )
        for number, issuer in ((1, ISSUER), (2, "")):
            said = {"tenant_id": "elsewhere", "client_id": "c", "object_id": OUTSIDE, "issuer": issuer}
            _insert(connection, "batch", id=number, owner="c", submitter=json.dumps(said).encode())
    engine.dispose()
    return made


def _insert(connection, table, **values):
    """A row, of which nothing else matters."""
    for _, name, kind, needed, default, _ in connection.execute(text(f"PRAGMA table_info({table})")):
        if needed and default is None and name not in values:
            values[name] = f"{table}{values['id']}" if kind.startswith(("TEXT", "VARCHAR")) else 0
    columns = ", ".join(values)
    connection.execute(
        text(f"INSERT INTO {table} ({columns}) VALUES ({', '.join(f':{name}' for name in values)})"),  # noqa: S608
        values,
    )


def assigned(url):
    database = Database(url)
    rows = database.read(
        lambda connection: connection.execute(
            text("SELECT name, principal_id FROM role_assignment")
        ).fetchall()
    )
    sessions = database.read(
        lambda connection: connection.execute(text("SELECT id FROM person_session")).scalars().all()
    )
    database.close()
    return dict(tuple(row) for row in rows), sessions


def test_roles_of_whom_nobody_here_knows_are_those_of_the_one_issuer(url):
    upgrade(url, [(ISSUER, "elsewhere")])
    roles, sessions = assigned(url)
    assert roles == {"one": LOCAL, "two": object_id_of(ISSUER, "elsewhere", OUTSIDE)}
    assert sessions == ["u"]


def test_batches_are_those_of_who_submitted_them(url):
    upgrade(url)
    database = Database(url)
    rows = database.read(
        lambda connection: connection.execute(
            text("SELECT owner, submitter FROM batch ORDER BY id")
        ).fetchall()
    )
    database.close()
    (outside, submitter), (local, _) = rows
    assert (outside, local) == (object_id_of(ISSUER, "elsewhere", OUTSIDE), "c")
    assert decode(submitter) == Principal("elsewhere", f"c@{ISSUER}", outside, issuer=ISSUER)
    assert decode(submitter).owner == outside


@pytest.mark.parametrize(
    "issuers", [[], [(ISSUER, None)], [(ISSUER, "elsewhere"), ("https://another.example", "x")]]
)
def test_they_are_nobodys_where_it_is_not_certain_whose_they_are(url, issuers):
    upgrade(url, issuers)
    assert assigned(url)[0] == {"one": LOCAL, "two": OUTSIDE}
