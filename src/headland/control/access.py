"""How a subscription gets on the allow list: somebody asks, and an administrator decides."""

import uuid
from dataclasses import replace

from sqlalchemy import Connection

from headland.control.directory import APPLICATION, Directory
from headland.control.errors import AccessConflictError, BadFieldError, NotFoundError
from headland.control.records import AccessRequest, RequestState, Subscription
from headland.control.rows import assignments
from headland.control.rows import subscriptions as rows
from headland.control.scopes import is_guid
from headland.control.subscriptions import LONGEST_NAME, ownership
from headland.control.terms import Terms
from headland.security import Principal

LONGEST_REASON = 2000


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
    directory: Directory,
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
        known = directory.known(connection, made.tenant_id, request.requested_by)
        kind = known.kind if known is not None else APPLICATION
        assignments.add(
            connection,
            ownership(scope, made.tenant_id, request.requested_by, principal.object_id, now, kind=kind),
        )
    decided = replace(request, state=state, decided_by=principal.object_id, decided_at=now, comment=comment)
    rows.decide(connection, decided)
    return decided


def _check_text(field: str, text: str, longest: int) -> None:
    if not text.strip() or len(text) > longest:
        raise BadFieldError(f"{field}: must have between 1 and {longest} characters.", field)
    if not all(character.isprintable() or character in "\n\t" for character in text):
        raise BadFieldError(f"{field}: must not contain control characters.", field)
