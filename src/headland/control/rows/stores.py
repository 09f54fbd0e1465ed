"""Rows of stores: what a deployer is to do, and what has come of it."""

from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.control.records import Store
from headland.control.tables import instance_store


def find(connection: Connection, key: str) -> Store | None:
    row = connection.execute(sa.select(instance_store).where(instance_store.c.key == key)).first()
    return Store(*row) if row is not None else None


def add(connection: Connection, new: Store) -> None:
    connection.execute(instance_store.insert().values(asdict(new)))


def want_anew(connection: Connection, key: str, now: int) -> None:
    """Have a store laid out that could not be."""
    connection.execute(
        instance_store.update()
        .where(instance_store.c.key == key)
        .values(wanted="present", failure=None, attempts=0, due_at=now)
    )


def unwant(connection: Connection, key: str, now: int) -> None:
    """Have a store removed."""
    connection.execute(instance_store.update().where(instance_store.c.key == key).values(_unwanted(now)))


def unwant_all_of(connection: Connection, subscription_id: str, group_key: str, now: int) -> None:
    """Have the stores of a group removed, also those of which the instance has gone before."""
    connection.execute(instance_store.update().where(*_of(subscription_id, group_key)).values(_unwanted(now)))


def next_due(connection: Connection, now: int) -> Store | None:
    """What has waited longest of what is to be done now."""
    row = connection.execute(
        sa.select(instance_store)
        .where(instance_store.c.due_at <= now)
        .order_by(instance_store.c.due_at, instance_store.c.key)
        .limit(1)
    ).first()
    return Store(*row) if row is not None else None


def next_due_at(connection: Connection) -> int | None:
    """When the next of what waits is to be done."""
    return connection.execute(sa.select(sa.func.min(instance_store.c.due_at))).scalar()


def made_ready(connection: Connection, key: str) -> bool:
    """Note that a store is laid out; False where it is not wanted any more."""
    changed = connection.execute(
        instance_store.update()
        .where(instance_store.c.key == key, instance_store.c.wanted == "present")
        .values(ready=True, failure=None, due_at=None)
    )
    return changed.rowcount == 1


def failed(connection: Connection, store: Store, failure: str, due_at: int | None) -> bool:
    """Note that what was to be done could not be, and when it is tried again; False where by now something else
    is wanted.
    """
    changed = connection.execute(
        instance_store.update()
        .where(instance_store.c.key == store.key, instance_store.c.wanted == store.wanted)
        .values(failure=failure, attempts=store.attempts + 1, due_at=due_at)
    )
    return changed.rowcount == 1


def delete(connection: Connection, key: str) -> None:
    connection.execute(instance_store.delete().where(instance_store.c.key == key))


def any_of(connection: Connection, subscription_id: str, group_key: str) -> bool:
    """Whether there is a store of the group's, wanted or not."""
    found = sa.select(instance_store.c.key).where(*_of(subscription_id, group_key)).limit(1)
    return connection.execute(found).first() is not None


def _of(subscription_id: str, group_key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return instance_store.c.subscription_id == subscription_id, instance_store.c.group_key == group_key


def _unwanted(now: int) -> dict[str, object]:
    return {"wanted": "absent", "ready": False, "failure": None, "attempts": 0, "due_at": now}
