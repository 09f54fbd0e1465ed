"""Rows of signing keys."""

from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.identity.records import KeyRecord
from headland.identity.tables import signing_key


def keys(connection: Connection) -> list[KeyRecord]:
    """All that are not forgotten, the one that signs last first."""
    latest_first = sa.select(signing_key).order_by(signing_key.c.activates_at.desc(), signing_key.c.kid)
    return [KeyRecord(*row) for row in connection.execute(latest_first)]


def add(connection: Connection, new: KeyRecord) -> None:
    connection.execute(signing_key.insert().values(asdict(new)))


def retire(connection: Connection, kid: str, at: int) -> None:
    """Delete its private half, from the database's file, too."""
    _delete_for_good(connection)
    connection.execute(
        signing_key.update().where(signing_key.c.kid == kid).values(private_key=None, retired_at=at)
    )


def forget(connection: Connection, kid: str) -> None:
    connection.execute(signing_key.delete().where(signing_key.c.kid == kid))


def lengthen(connection: Connection, lifetime: int) -> None:
    """Remember of the keys that sign, or will, that their tokens live for `lifetime` seconds, or have lived longer."""
    connection.execute(
        signing_key.update()
        .where(signing_key.c.retired_at.is_(None), signing_key.c.longest_lifetime < lifetime)
        .values(longest_lifetime=lifetime)
    )


def _delete_for_good(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        # Otherwise the bytes stay in the file until another row takes their place.
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
