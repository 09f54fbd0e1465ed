"""Rows of people and of their sessions."""

from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.identity.people.records import Person, Session
from headland.identity.people.tables import person, session


def find(connection: Connection, object_id: str) -> Person | None:
    row = connection.execute(sa.select(person).where(person.c.object_id == object_id)).first()
    return Person(*row) if row is not None else None


def find_by_key(connection: Connection, user_key: str) -> Person | None:
    row = connection.execute(sa.select(person).where(person.c.user_key == user_key)).first()
    return Person(*row) if row is not None else None


def find_by_set_up(connection: Connection, set_up_hash: bytes) -> Person | None:
    row = connection.execute(sa.select(person).where(person.c.set_up_hash == set_up_hash)).first()
    return Person(*row) if row is not None else None


def people(connection: Connection, tenant_id: str) -> list[Person]:
    """A tenant's people, by the names they sign in with."""
    rows = connection.execute(
        sa.select(person).where(person.c.tenant_id == tenant_id).order_by(person.c.user_key)
    )
    return [Person(*row) for row in rows]


def add(connection: Connection, new: Person) -> None:
    connection.execute(person.insert().values(asdict(new)))


def change(connection: Connection, object_id: str, /, **columns: Any) -> None:
    connection.execute(person.update().where(person.c.object_id == object_id).values(columns))


def put(connection: Connection, changed: Person) -> None:
    """A person as it is now."""
    change(connection, changed.object_id, **asdict(changed))


def delete(connection: Connection, object_id: str) -> None:
    """The person, with its sessions."""
    delete_sessions(connection, object_id)
    connection.execute(person.delete().where(person.c.object_id == object_id))


def find_session(connection: Connection, key_hash: bytes) -> Session | None:
    row = connection.execute(sa.select(session).where(session.c.key_hash == key_hash)).first()
    return Session(*row) if row is not None else None


def sessions(connection: Connection, person_id: str) -> list[Session]:
    """Somebody's sessions, the one that was used last first."""
    found = sa.select(session).where(session.c.person_id == person_id)
    return [Session(*row) for row in connection.execute(found.order_by(session.c.used_at.desc()))]


def add_session(connection: Connection, new: Session) -> None:
    connection.execute(session.insert().values(asdict(new)))


def use_session(connection: Connection, key_hash: bytes, at: int) -> None:
    connection.execute(session.update().where(session.c.key_hash == key_hash).values(used_at=at))


def exchange_key(connection: Connection, key_hash: bytes, new: bytes) -> None:
    """Have a session go on under another key."""
    connection.execute(session.update().where(session.c.key_hash == key_hash).values(key_hash=new))


def delete_session(connection: Connection, key_hash: bytes) -> None:
    connection.execute(session.delete().where(session.c.key_hash == key_hash))


def delete_one_session(connection: Connection, person_id: str, id_: str) -> bool:
    """Whether somebody had a session with that id; it is gone."""
    own = session.c.person_id == person_id, session.c.id == id_
    return bool(connection.execute(session.delete().where(*own)).rowcount)


def delete_sessions(connection: Connection, person_id: str, besides: bytes = b"") -> None:
    """All of somebody's, besides the one with that key's hash."""
    connection.execute(
        session.delete().where(session.c.person_id == person_id, session.c.key_hash != besides)
    )


def delete_expired_sessions(connection: Connection, now: int) -> None:
    connection.execute(session.delete().where(session.c.expires_at <= now))
