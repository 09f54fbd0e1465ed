"""What was there before certificates is there after them."""

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from headland.database import Database, upgrade
from headland.database.sqlite import sqlite_engine
from headland.database.upgrade import MIGRATIONS
from headland.identity import store
from headland.identity.records import Application, Secret, Tenant


def test_tenants_applications_and_secrets_stay_as_they_are(tmp_path):
    url = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sqlite_engine(url, busy_timeout=5.0, writer=True, create=True)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        connection.execute(text("INSERT INTO tenant VALUES ('t', 'meadow', 1)"))
        connection.execute(text("INSERT INTO application VALUES ('c', 't', 'o', 'Drone', 1, 2, NULL, NULL)"))
        connection.execute(text("INSERT INTO secret VALUES ('s', 'c', x'00', 'abc', NULL, 3, 4)"))
    engine.dispose()
    upgrade(url)
    database = Database(url)
    tenant, application = database.read(
        lambda connection: (store.tenants(connection)[0], store.find_application(connection, "c"))
    )
    database.close()
    assert tenant == Tenant("t", "meadow", 1)
    # The first one's administrators are the deployment's.
    assert tenant.first
    secret = Secret("s", "c", b"\0", "abc", None, 3, 4)
    assert application == Application("c", "t", "o", "Drone", True, 2, None, None, None, (secret,))
