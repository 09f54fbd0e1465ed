"""Whose a database is: one home's. What rows tell of, as run directories and uploads, lies in that one's folder.

Two homes on one database would each take the other's batches for lost, and do its work again.
"""

from typing import NamedTuple

import sqlalchemy as sa

from headland.database.postgresql.layout import MAIN_SCHEMA, laying_out

_MAKE = """
    CREATE TABLE IF NOT EXISTS home (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        id text NOT NULL,
        place text NOT NULL,
        since timestamptz NOT NULL DEFAULT now()
    )
"""
_CLAIM = "INSERT INTO home (id, place) VALUES (:id, :place) ON CONFLICT (single) DO NOTHING"
_MOVED = "UPDATE home SET place = :place WHERE id = :id AND place <> :place"
_READ = "SELECT id, place FROM home"


class Owner(NamedTuple):
    """A home."""

    #: Made once, and kept with it wherever it is moved.
    id: str
    #: Machine and folder, for people.
    place: str


class OtherHomeError(Exception):
    """The database is another home's. The message is one line for the operator."""


def claim(url: str, owner: Owner) -> None:
    """Make a database a home's, if it is nobody's. Of several at once one gets it.

    Raises:
        OtherHomeError: it is another's.
        DatabaseUnavailableError: it can't be read or written.
    """
    with laying_out(url, MAIN_SCHEMA) as connection:
        connection.execute(sa.text(_MAKE))
        for statement in (_CLAIM, _MOVED):
            connection.execute(sa.text(statement), owner._asdict())
        there = Owner(*connection.execute(sa.text(_READ)).one())
    if there.id != owner.id:
        raise OtherHomeError(
            f"the database is that of another Headland ({there.place}), and a database has one; if that one is gone "
            f"for good, empty the table {MAIN_SCHEMA}.home"
        )
