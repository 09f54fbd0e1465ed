"""The allow list: which subscriptions there are, and who owns one."""

import uuid

from sqlalchemy import Connection

from headland.audit import Actor
from headland.control import changes
from headland.control.directory import APPLICATION
from headland.control.errors import SubscriptionNotEmptyError, SubscriptionNotFoundError
from headland.control.records import Assignment, Subscription
from headland.control.roles import OWNER
from headland.control.rows import assignments
from headland.control.rows import subscriptions as rows
from headland.control.rows.groups import all_of as all_groups
from headland.control.scopes import key_of
from headland.control.terms import Terms

FIRST_START = Actor(source="headland serve")

LONGEST_NAME = 64


def get(connection: Connection, id_: str) -> Subscription:
    """The subscription.

    Raises:
        SubscriptionNotFoundError: it is not on the allow list.
    """
    found = rows.find(connection, id_)
    if found is None:
        raise SubscriptionNotFoundError(id_)
    return found


def remove(connection: Connection, id_: str) -> Subscription:
    """Take an empty subscription off the allow list, with its roles; what it was. It may be asked for again.

    Raises:
        SubscriptionNotFoundError: it is not on the allow list.
        SubscriptionNotEmptyError: there are resource groups in it.
    """
    found = get(connection, id_)
    groups = all_groups(connection, id_)
    if groups:
        raise SubscriptionNotEmptyError(id_, groups[0].name)
    assignments.delete_at_or_below(connection, key_of(f"/subscriptions/{id_}"))
    rows.remove(connection, id_)
    return found


def belongings(connection: Connection, tenant_id: str) -> str | None:
    """A subscription of the tenant, if there is one: what would be without an owner."""
    found = rows.all_of(connection, tenant_id)
    return f"subscription {found[0].id}" if found else None


def initialise(
    connection: Connection,
    *,
    tenant_id: str,
    owner_id: str | None,
    display_name: str,
    terms: Terms,
    now: int,
) -> Subscription | None:
    """What the first start makes: one subscription, whose terms the operator accepts by starting, and an owner of
    everything. None where there is a subscription already.
    """
    if rows.all_of(connection):
        return None
    made = Subscription(str(uuid.uuid4()), tenant_id, display_name[:LONGEST_NAME], now)
    rows.add(connection, made)
    rows.accept_terms(connection, made.id, terms.version, "", now)
    changes.subscription_made(made).put_on_record(connection, FIRST_START, now)
    changes.terms_accepted(made, terms.version).put_on_record(connection, FIRST_START, now)
    if owner_id is not None:
        owner = ownership("/", tenant_id, owner_id, None, now)
        assignments.add(connection, owner)
        changes.role_assigned(owner).put_on_record(connection, FIRST_START, now)
    return made


def ownership(
    scope: str, tenant_id: str, owner_id: str, by: str | None, now: int, *, kind: str = APPLICATION
) -> Assignment:
    """Somebody, by its object id, is an owner of everything at the scope."""
    return Assignment(
        name=str(uuid.uuid4()),
        tenant_id=tenant_id,
        scope=scope,
        scope_key=key_of(scope),
        role=OWNER.id,
        principal_id=owner_id,
        principal_type=kind,
        description=None,
        created_by=by,
        created_at=now,
        changed_by=by,
        changed_at=now,
    )
