"""Rules of resource groups. Each function is one change in one transaction."""

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from headland.control import tags as tag_rules
from headland.control.errors import (
    DeletingError,
    GroupLocationError,
    GroupMovesError,
    LocationRequiredError,
    ResourceGroupNotFoundError,
)
from headland.control.locations import find as find_location
from headland.control.names import check_group, key_of
from headland.control.records import Group, GroupDeletion
from headland.control.rows import assignments, groups, instances, stores
from headland.control.scopes import key_of as scope_key

#: Milliseconds for which it can be asked what became of a deletion.
DELETIONS_KEPT = 7 * 86_400_000


def get(connection: Connection, subscription_id: str, name: str) -> Group:
    """One of its groups.

    Raises:
        ResourceGroupNotFoundError: it has none of that name.
    """
    found = groups.find(connection, subscription_id, key_of(name))
    if found is None:
        raise ResourceGroupNotFoundError(name)
    return found


def create(
    connection: Connection,
    subscription_id: str,
    name: str,
    *,
    location: str | None,
    available: Sequence[str],
    tags: Mapping[str, str],
    managed_by: str | None,
    now: int,
) -> tuple[Group, bool]:
    """The group, made or brought up to date, and whether it was made.

    Raises:
        InvalidGroupNameError, InvalidTagsError, InvalidTagCharactersError: name or tags break the rules.
        LocationRequiredError, GroupLocationError: it is not said where, or there is no such region.
        GroupMovesError: it is in another region.
        DeletingError: it is being deleted.
    """
    check_group(name)
    tag_rules.check(tags)
    if not location:
        raise LocationRequiredError
    region = find_location(location, available)
    if region is None:
        raise GroupLocationError(location, available)
    present = groups.find(connection, subscription_id, key_of(name))
    if present is None:
        made = Group(subscription_id, key_of(name), name, region, dict(tags), managed_by, now, now)
        groups.add(connection, made)
        return made, True
    if present.deleting_since is not None:
        raise DeletingError(present.name)
    if present.location != region:
        raise GroupMovesError(location, present.location)
    groups.change(connection, present, tags, managed_by, now)
    return get(connection, subscription_id, name), False


def change(
    connection: Connection,
    subscription_id: str,
    name: str,
    *,
    tags: Mapping[str, str] | None,
    managed_by: str | None,
    now: int,
) -> Group:
    """The group with other tags; None leaves a thing as it is.

    Raises:
        ResourceGroupNotFoundError: there is none of that name.
        InvalidTagsError, InvalidTagCharactersError: the tags break the rules.
        DeletingError: it is being deleted.
    """
    present = get(connection, subscription_id, name)
    if present.deleting_since is not None:
        raise DeletingError(present.name)
    if tags is not None:
        tag_rules.check(tags)
    groups.change(
        connection,
        present,
        present.tags if tags is None else tags,
        present.managed_by if managed_by is None else managed_by,
        now,
    )
    return get(connection, subscription_id, name)


def delete(connection: Connection, subscription_id: str, name: str, by: str, now: int) -> GroupDeletion:
    """Begin to delete the group with everything in it; from here on its instances are not there any more.

    Raises:
        ResourceGroupNotFoundError: there is none of that name.
    """
    present = get(connection, subscription_id, name)
    groups.forget_deletions(connection, now - DELETIONS_KEPT)
    begun = GroupDeletion(
        str(uuid.uuid4()), subscription_id, present.key, present.name, asked_by=by, asked_at=now
    )
    groups.add_deletion(connection, begun)
    groups.begin_deletion(connection, present, now)
    instances.delete_all_of(connection, subscription_id, present.key)
    stores.unwant_all_of(connection, subscription_id, present.key, now)
    assignments.delete_at_or_below(connection, scope_key(present.id))
    finish_deletion(connection, subscription_id, present.key, now)
    return begun


def finish_deletion(connection: Connection, subscription_id: str, key: str, now: int) -> bool:
    """Delete the group if it is being deleted and nothing of it is left; whether it is gone by this."""
    present = groups.find(connection, subscription_id, key)
    if present is None or present.deleting_since is None or stores.any_of(connection, subscription_id, key):
        return False
    assignments.delete_at_or_below(connection, scope_key(present.id))
    groups.delete(connection, subscription_id, key)
    groups.end_deletions(connection, subscription_id, key, now, None)
    return True
