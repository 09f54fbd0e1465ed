"""Changes of the control plane as the audit trail has them: what a reader needs."""

from collections.abc import Iterable
from typing import Any

from headland.audit import Change, difference
from headland.control.records import AccessRequest, Assignment, Group, Instance, Subscription
from headland.control.roles import BY_ID


def subscription_made(made: Subscription) -> Change:
    after = {"displayName": made.display_name}
    return Change("subscription.created", _subscription(made), made.tenant_id, after=after)


def subscription_removed(gone: Subscription) -> Change:
    before = {"displayName": gone.display_name}
    return Change("subscription.removed", _subscription(gone), gone.tenant_id, before)


def access_requested(made: AccessRequest) -> Change:
    after = {"subscriptionId": made.subscription_id, "displayName": made.display_name}
    return Change("access.requested", _request(made), made.tenant_id, after=after)


def access_decided(before: AccessRequest, after: AccessRequest) -> Change | None:
    """Approved, it has made the subscription, and its asker the subscription's owner."""
    if before.state == after.state:
        return None
    return Change(
        f"access.{after.state.lower()}",
        _request(after),
        after.tenant_id,
        {"state": before.state},
        {"state": after.state, "subscriptionId": after.subscription_id, "requestedBy": after.requested_by},
    )


def terms_accepted(subscription: Subscription, version: str) -> Change:
    return Change(
        "terms.accepted", _subscription(subscription), subscription.tenant_id, after={"version": version}
    )


def provider_registered(subscription: Subscription, namespace: str) -> Change:
    return Change("provider.registered", _provider(subscription, namespace), subscription.tenant_id)


def provider_unregistered(subscription: Subscription, namespace: str) -> Change:
    return Change("provider.unregistered", _provider(subscription, namespace), subscription.tenant_id)


def group_put(subscription: Subscription, before: Group | None, after: Group) -> Change | None:
    """It was made or changed; None where it is as it was."""
    tenant = subscription.tenant_id
    if before is None:
        return Change("group.created", after.id, tenant, after=_shown_group(after))
    return difference("group.changed", after.id, tenant, _shown_group(before), _shown_group(after))


def group_deleted(subscription: Subscription, gone: Group, instances: Iterable[Instance]) -> Change:
    """Its deletion has begun, and can't be stopped any more."""
    before = {**_shown_group(gone), "instances": sorted(instance.name for instance in instances)}
    return Change("group.deleted", gone.id, subscription.tenant_id, before)


def instance_put(subscription: Subscription, before: Instance | None, after: Instance) -> Change | None:
    """It was made or changed; None where it is as it was."""
    tenant = subscription.tenant_id
    if before is None:
        return Change("instance.created", after.id, tenant, after=_shown_instance(after))
    return difference("instance.changed", after.id, tenant, _shown_instance(before), _shown_instance(after))


def instance_deleted(subscription: Subscription, gone: Instance) -> Change:
    """Its data and the roles on it went with it."""
    return Change("instance.deleted", gone.id, subscription.tenant_id, _shown_instance(gone))


def role_assigned(made: Assignment) -> Change:
    return Change("role.assigned", made.id, made.tenant_id, after=_shown_role(made))


def role_described(before: Assignment, after: Assignment) -> Change | None:
    """It was assigned again, with another description; None where that is the same, too."""
    return difference("role.described", after.id, after.tenant_id, _shown_role(before), _shown_role(after))


def role_removed(gone: Assignment) -> Change:
    return Change("role.removed", gone.id, gone.tenant_id, _shown_role(gone))


def _subscription(subscription: Subscription) -> str:
    return f"/subscriptions/{subscription.id}"


def _request(request: AccessRequest) -> str:
    return f"access-request/{request.id}"


def _provider(subscription: Subscription, namespace: str) -> str:
    return f"{_subscription(subscription)}/providers/{namespace}"


def _shown_group(group: Group) -> dict[str, Any]:
    return {"location": group.location, "tags": dict(group.tags), "managedBy": group.managed_by}


def _shown_instance(instance: Instance) -> dict[str, Any]:
    return {
        "location": instance.location,
        "tags": dict(instance.tags),
        "options": dict(instance.options),
    }


def _shown_role(assignment: Assignment) -> dict[str, Any]:
    return {
        "role": BY_ID[assignment.role].name,
        "principalId": assignment.principal_id,
        "description": assignment.description,
    }
