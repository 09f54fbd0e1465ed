"""The allow list: which subscriptions there are, and how one gets on it."""

import uuid
from dataclasses import replace

from sqlalchemy import Connection

from headland.audit import Actor
from headland.control import changes
from headland.control.errors import (
    AccessConflictError,
    BadFieldError,
    NotFoundError,
    ResourceGroupNotFoundError,
    SubscriptionNotFoundError,
)
from headland.control.names import key_of as name_key
from headland.control.records import AccessRequest, Assignment, Group, RequestState, Subscription
from headland.control.roles import OWNER
from headland.control.rows import assignments, groups
from headland.control.rows import subscriptions as rows
from headland.control.scopes import is_guid, key_of
from headland.control.terms import Terms
from headland.security import Principal

FIRST_START = Actor(source="headland serve")

LONGEST_NAME = 64
LONGEST_REASON = 2000


def get(connection: Connection, id_: str) -> Subscription:
    """The subscription.

    Raises:
        SubscriptionNotFoundError: it is not on the allow list.
    """
    found = rows.find(connection, id_)
    if found is None:
        raise SubscriptionNotFoundError(id_)
    return found


def group(connection: Connection, subscription_id: str, name: str) -> Group:
    """One of its groups.

    Raises:
        ResourceGroupNotFoundError: it has none of that name.
    """
    found = groups.find(connection, subscription_id, name_key(name))
    if found is None:
        raise ResourceGroupNotFoundError(name)
    return found


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
        owner = _ownership("/", tenant_id, owner_id, None, now)
        assignments.add(connection, owner)
        changes.role_assigned(owner).put_on_record(connection, FIRST_START, now)
    return made


def ask(
    connection: Connection,
    principal: Principal,
    *,
    subscription_id: str | None,
    display_name: str,
    reason: str,
    accepted_terms: str,
    terms: Terms,
    now: int,
) -> AccessRequest:
    """Ask for a subscription: that one, or a new one.

    Raises:
        BadFieldError: a field is not as it must be, or the terms that are accepted are not those in force.
        AccessConflictError: it is on the allow list, or somebody asks for it already.
    """
    if subscription_id is not None and not is_guid(subscription_id):
        raise BadFieldError(f"subscriptionId: '{subscription_id}' is no GUID.", "subscriptionId")
    _check_text("displayName", display_name, LONGEST_NAME)
    _check_text("reason", reason, LONGEST_REASON)
    if accepted_terms != terms.version:
        raise BadFieldError(
            f"acceptTerms: the terms in force have version '{terms.version}', and '{accepted_terms}' was accepted.",
            "acceptTerms",
        )
    id_ = (subscription_id or str(uuid.uuid4())).lower()
    if rows.find(connection, id_) is not None:
        raise AccessConflictError(f"The subscription '{id_}' is enabled already.", "subscriptionId")
    if rows.pending_request(connection, id_) is not None:
        raise AccessConflictError(f"Somebody asks for the subscription '{id_}' already.", "subscriptionId")
    made = AccessRequest(
        id=str(uuid.uuid4()),
        subscription_id=id_,
        tenant_id=principal.tenant_id,
        display_name=display_name,
        reason=reason,
        terms_version=terms.version,
        requested_by=principal.object_id,
        requested_at=now,
        state="Pending",
    )
    rows.add_request(connection, made)
    return made


def find_request(connection: Connection, principal: Principal, id_: str) -> AccessRequest:
    """A request of the caller's own, or for an administrator any.

    Raises:
        NotFoundError: there is none.
    """
    found = rows.find_request(connection, id_.lower())
    own = found is not None and found.requested_by == principal.object_id
    # Whoever administers the deployment decides for all of its tenants.
    seen = found is not None and principal.administrator
    if found is None or not (own or seen):
        raise NotFoundError(f"The access request '{id_}' is not found.")
    return found


def decide(
    connection: Connection,
    principal: Principal,
    id_: str,
    *,
    state: RequestState,
    comment: str | None,
    now: int,
) -> AccessRequest:
    """Approve a request, whose asker then owns the subscription, or refuse it. `principal` is an administrator.

    Raises:
        NotFoundError: there is no such request.
        AccessConflictError: it has been decided otherwise.
    """
    request = find_request(connection, principal, id_)
    if request.state == state:
        return request
    if request.state != "Pending":
        raise AccessConflictError(f"The access request '{request.id}' is {request.state.lower()} already.")
    if state == "Approved":
        made = Subscription(request.subscription_id, request.tenant_id, request.display_name, now)
        rows.add(connection, made)
        rows.accept_terms(
            connection, made.id, request.terms_version, request.requested_by, request.requested_at
        )
        scope = f"/subscriptions/{made.id}"
        assignments.add(
            connection,
            _ownership(scope, made.tenant_id, request.requested_by, principal.object_id, now),
        )
    decided = replace(request, state=state, decided_by=principal.object_id, decided_at=now, comment=comment)
    rows.decide(connection, decided)
    return decided


def _ownership(scope: str, tenant_id: str, owner_id: str, by: str | None, now: int) -> Assignment:
    return Assignment(
        name=str(uuid.uuid4()),
        tenant_id=tenant_id,
        scope=scope,
        scope_key=key_of(scope),
        role=OWNER.id,
        principal_id=owner_id,
        principal_type="ServicePrincipal",
        description=None,
        created_by=by,
        created_at=now,
        changed_by=by,
        changed_at=now,
    )


def _check_text(field: str, text: str, longest: int) -> None:
    if not text.strip() or len(text) > longest:
        raise BadFieldError(f"{field}: must have between 1 and {longest} characters.", field)
    if not all(character.isprintable() or character in "\n\t" for character in text):
        raise BadFieldError(f"{field}: must not contain control characters.", field)
