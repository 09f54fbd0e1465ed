"""Rules of instances. Each function is one change, or one look, in one transaction."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from headland.control import groups, names
from headland.control import tags as tag_rules
from headland.control.errors import (
    DeletingError,
    LocationRequiredError,
    MissingRegistrationError,
    NameTakenError,
    ResourceMovesError,
    ResourceNotFoundError,
    TypeLocationError,
)
from headland.control.locations import find as find_location
from headland.control.provider import FARM_BEATS, NAMESPACE
from headland.control.records import Group, Instance, Store
from headland.control.rows import assignments, stores, subscriptions
from headland.control.rows import instances as rows
from headland.control.scopes import key_of
from headland.control.terms import Terms
from headland.security import Principal


@dataclass(frozen=True, slots=True)
class Wanted:
    """An instance as it is asked for."""

    subscription_id: str
    group: str
    name: str
    location: str | None
    tags: Mapping[str, str]
    options: Mapping[str, Any]


def get(connection: Connection, subscription_id: str, group: str, name: str) -> Instance:
    """The instance.

    Raises:
        ResourceGroupNotFoundError: there is no such group.
        ResourceNotFoundError: the group has no such instance.
    """
    found = groups.get(connection, subscription_id, group)
    instance = rows.find(connection, names.key_of(name))
    if instance is None or instance.subscription_id != subscription_id or instance.group_key != found.key:
        raise ResourceNotFoundError(f"{FARM_BEATS}/{name}", group)
    return instance


def review(
    connection: Connection, wanted: Wanted, terms: Terms, available: Sequence[str]
) -> tuple[Group, str, Instance | None]:
    """Check all that can be checked before an instance is made or updated: its group, its region, and the
    instance that is there already.

    Raises:
        InvalidNameError, InvalidTagsError, InvalidTagCharactersError: name or tags break the rules.
        ResourceGroupNotFoundError: there is no such group.
        DeletingError: the group is being deleted.
        MissingRegistrationError: the provider is not registered.
        LocationRequiredError, TypeLocationError: it is not said where, or there is no such region.
        NameTakenError: an instance elsewhere has the name.
        ResourceMovesError: it is in another region.
        TermsNotAcceptedError: they are needed for a new one.
    """
    group = groups.get(connection, wanted.subscription_id, wanted.group)
    if group.deleting_since is not None:
        raise DeletingError(group.name)
    if NAMESPACE not in subscriptions.registered(connection, wanted.subscription_id):
        raise MissingRegistrationError(NAMESPACE)
    names.check_instance(wanted.name)
    tag_rules.check(wanted.tags)
    if not wanted.location:
        raise LocationRequiredError
    region = find_location(wanted.location, available)
    if region is None:
        raise TypeLocationError(wanted.location, FARM_BEATS, available)
    present = rows.find(connection, names.key_of(wanted.name))
    if present is None:
        terms.check(connection, wanted.subscription_id)
        return group, region, None
    if (present.subscription_id, present.group_key) != (group.subscription_id, group.key):
        raise NameTakenError(wanted.name)
    if present.location != region:
        raise ResourceMovesError(present.name, present.location, group.name, wanted.location)
    return group, region, present


def create(
    connection: Connection,
    wanted: Wanted,
    *,
    principal: Principal,
    terms: Terms,
    available: Sequence[str],
    now: int,
) -> tuple[Instance, bool]:
    """The instance, with its store yet to be laid out, or brought up to date; and whether it was made. One that
    could not be laid out is tried again.

    Raises:
        ControlError: as `review` has it.
    """
    group, region, present = review(connection, wanted, terms, available)
    by = principal.object_id
    if present is None:
        store = Store(str(uuid.uuid4()), group.subscription_id, group.key, "present", False, None, 0, now)
        stores.add(connection, store)
        made = Instance(
            key=names.key_of(wanted.name),
            name=wanted.name,
            subscription_id=group.subscription_id,
            group_key=group.key,
            location=region,
            tags=dict(wanted.tags),
            options=_options(wanted.options, {}, principal),
            store_key=store.key,
            created_by=by,
            created_at=now,
            changed_by=by,
            changed_at=now,
            group_name=group.name,
            ready=False,
            failure=None,
        )
        rows.add(connection, made)
        return made, True
    if present.failure is not None:
        stores.want_anew(connection, present.store_key, now)
    rows.change(
        connection,
        present.key,
        tags=wanted.tags,
        options=_options(wanted.options, present.options, principal),
        by=by,
        now=now,
    )
    return _again(connection, present.key), False


def change(
    connection: Connection,
    instance: Instance,
    *,
    tags: Mapping[str, str] | None,
    options: Mapping[str, Any],
    principal: Principal,
    now: int,
) -> Instance:
    """The instance with other tags, or other options; what is not named stays.

    Raises:
        InvalidTagsError, InvalidTagCharactersError: the tags break the rules.
    """
    if tags is not None:
        tag_rules.check(tags)
    rows.change(
        connection,
        instance.key,
        tags=instance.tags if tags is None else tags,
        options=_options(options, instance.options, principal),
        by=principal.object_id,
        now=now,
    )
    return _again(connection, instance.key)


def delete(connection: Connection, instance: Instance, now: int) -> None:
    """Delete it with its role assignments; what remains of it is a store that is to be removed."""
    assignments.delete_at_or_below(connection, key_of(instance.id))
    rows.delete(connection, instance.key)
    stores.unwant(connection, instance.store_key, now)


def _again(connection: Connection, key: str) -> Instance:
    found = rows.find(connection, key)
    if found is None:
        raise LookupError(key)
    return found


def _options(wanted: Mapping[str, Any], present: Mapping[str, Any], principal: Principal) -> dict[str, Any]:
    """What is kept of both; None takes a member away. A managed identity keeps the ids that it was given at
    first.
    """
    options = {name: value for name, value in {**present, **wanted}.items() if value is not None}
    if "identity" in options:
        made = {"principalId": str(uuid.uuid4()), "tenantId": principal.tenant_id}
        options["identity"] = {**made, **(present.get("identity") or {}), **options["identity"]}
    return options
