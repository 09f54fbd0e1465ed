import uuid

from headland.control import Terms, initialise
from headland.control.rows import assignments, subscriptions
from headland.database import Database, upgrade
from headland.identity import initialise as initialise_identity
from headland.identity import oldest_administrator
from headland.settings import Settings

TERMS = Terms("1", "Terms.")


def _start(connection, owner=None):
    tenant, oldest = oldest_administrator(connection)
    return initialise(
        connection,
        tenant_id=tenant.id,
        owner_id=owner or oldest,
        display_name=tenant.name,
        terms=TERMS,
        now=7,
    )


def test_a_home_that_was_there_before_gets_its_subscription_once(tmp_path):
    database = Database.at(tmp_path / "headland.db")
    upgrade(database.url)
    database.write_and_wait(lambda connection: initialise_identity(connection, Settings(), 1))
    made = database.write_and_wait(_start)
    assert made.display_name == "Headland"
    assert database.write_and_wait(lambda connection: _start(connection, str(uuid.uuid4()))) is None
    tenant, owner = database.read(oldest_administrator)
    assert made.tenant_id == tenant.id
    (ownership,) = database.read(lambda connection: assignments.at(connection, ["/"]))
    assert (ownership.principal_id, ownership.scope) == (owner, "/")
    assert database.read(lambda connection: subscriptions.accepted(connection, made.id, "1")) == 7
    assert len(database.read(subscriptions.all_of)) == 1
    database.close()
