"""Rows of resource groups and of their deletions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection

from headland.control.records import Group, GroupDeletion
from headland.control.tables import group_deletion, resource_group


def find(connection: Connection, subscription_id: str, key: str) -> Group | None:
    row = connection.execute(sa.select(resource_group).where(*_one(subscription_id, key))).first()
    return _group(row) if row is not None else None


def all_of(connection: Connection, subscription_id: str) -> list[Group]:
    """A subscription's groups, by key."""
    wanted = sa.select(resource_group).where(resource_group.c.subscription_id == subscription_id)
    return [_group(row) for row in connection.execute(wanted.order_by(resource_group.c.key))]


def add(connection: Connection, new: Group) -> None:
    connection.execute(resource_group.insert().values({**asdict(new), "tags": _encoded(new.tags)}))


def change(
    connection: Connection, group: Group, tags: Mapping[str, str], managed_by: str | None, now: int
) -> None:
    connection.execute(
        resource_group.update()
        .where(*_one(group.subscription_id, group.key))
        .values(tags=_encoded(tags), managed_by=managed_by, changed_at=now)
    )


def begin_deletion(connection: Connection, group: Group, now: int) -> None:
    connection.execute(
        resource_group.update()
        .where(*_one(group.subscription_id, group.key))
        .values(deleting_since=group.deleting_since or now)
    )


def delete(connection: Connection, subscription_id: str, key: str) -> None:
    """It has nothing in it."""
    connection.execute(resource_group.delete().where(*_one(subscription_id, key)))


def add_deletion(connection: Connection, new: GroupDeletion) -> None:
    connection.execute(group_deletion.insert().values(asdict(new)))


def find_deletion(connection: Connection, id_: str) -> GroupDeletion | None:
    row = connection.execute(sa.select(group_deletion).where(group_deletion.c.id == id_)).first()
    return GroupDeletion(*row) if row is not None else None


def end_deletions(
    connection: Connection, subscription_id: str, key: str, now: int, failure: str | None
) -> None:
    """Say of every deletion of the group that is under way that it has ended, and how."""
    connection.execute(
        group_deletion.update()
        .where(
            group_deletion.c.subscription_id == subscription_id,
            group_deletion.c.group_key == key,
            group_deletion.c.ended_at.is_(None),
        )
        .values(ended_at=now, failure=failure)
    )


def forget_deletions(connection: Connection, before: int) -> None:
    """Nobody asks for those any more that ended before that."""
    connection.execute(group_deletion.delete().where(group_deletion.c.ended_at < before))


def _one(subscription_id: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return resource_group.c.subscription_id == subscription_id, resource_group.c.key == key


def _group(row: Sequence[Any]) -> Group:
    found = Group(*row)
    return replace(found, tags=msgspec.json.decode(str(found.tags), type=dict[str, str]))


def _encoded(tags: Mapping[str, str]) -> str:
    return msgspec.json.encode(tags).decode()
