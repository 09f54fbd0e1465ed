"""Rows of instances. Each is read with what has become of its store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection

from headland.control.records import Instance
from headland.control.tables import instance, instance_store, resource_group

_JOINED = (
    sa.select(
        *instance.columns,
        resource_group.c.name.label("group_name"),
        instance_store.c.ready,
        instance_store.c.failure,
    )
    .join(
        resource_group,
        sa.and_(
            resource_group.c.subscription_id == instance.c.subscription_id,
            resource_group.c.key == instance.c.group_key,
        ),
    )
    .join(instance_store, instance_store.c.key == instance.c.store_key)
)


def find(connection: Connection, key: str) -> Instance | None:
    """The instance of that name, wherever it is."""
    row = connection.execute(_JOINED.where(instance.c.key == key)).first()
    return _instance(row) if row is not None else None


def all_of(connection: Connection, subscription_id: str, group_key: str | None = None) -> list[Instance]:
    """Those of a subscription, or of one of its groups, by key."""
    wanted = _JOINED.where(instance.c.subscription_id == subscription_id)
    if group_key is not None:
        wanted = wanted.where(instance.c.group_key == group_key)
    return [_instance(row) for row in connection.execute(wanted.order_by(instance.c.key))]


def everywhere(connection: Connection) -> list[Instance]:
    """Those of all subscriptions, by key."""
    return [_instance(row) for row in connection.execute(_JOINED.order_by(instance.c.key))]


def add(connection: Connection, new: Instance) -> None:
    """Its store has a row already."""
    connection.execute(
        instance.insert().values(
            {column.name: getattr(new, column.name) for column in instance.columns}
            | {"tags": _encoded(new.tags), "options": _encoded(new.options)}
        )
    )


def change(
    connection: Connection,
    key: str,
    *,
    tags: Mapping[str, str],
    options: Mapping[str, Any],
    by: str,
    now: int,
) -> None:
    connection.execute(
        instance.update()
        .where(instance.c.key == key)
        .values(tags=_encoded(tags), options=_encoded(options), changed_by=by, changed_at=now)
    )


def delete(connection: Connection, key: str) -> None:
    connection.execute(instance.delete().where(instance.c.key == key))


def delete_all_of(connection: Connection, subscription_id: str, group_key: str) -> None:
    connection.execute(
        instance.delete().where(
            instance.c.subscription_id == subscription_id, instance.c.group_key == group_key
        )
    )


def _instance(row: Sequence[Any]) -> Instance:
    found = Instance(*row)
    return replace(
        found,
        tags=msgspec.json.decode(str(found.tags), type=dict[str, str]),
        options=msgspec.json.decode(str(found.options)),
    )


def _encoded(value: Mapping[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
