"""Subscriptions, tenants and regions."""

from urllib.parse import urlsplit

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.control import wire
from headland.control.declaring import SUBSCRIPTION, reads
from headland.control.records import Subscription
from headland.control.rows import assignments
from headland.control.rows import subscriptions as rows
from headland.control.scopes import subscription_in
from headland.control.service import caller, service_of, subscription_of
from headland.control.subscriptions import get
from headland.control.views import location_view, subscription_view
from headland.http.answers import json_answer
from headland.security import Principal


async def list_subscriptions(request: Request) -> Response:
    principal = caller(request)
    found = service_of(request).read(lambda connection: _seen_by(connection, principal))
    value = [subscription_view(item) for item in found]
    return json_answer(wire.SubscriptionList(value, "", wire.Count("Total", len(value))))


async def read_subscription(request: Request) -> Response:
    id_ = subscription_of(request)
    return json_answer(subscription_view(service_of(request).read(lambda connection: get(connection, id_))))


async def list_locations(request: Request) -> Response:
    id_ = subscription_of(request)
    names = service_of(request).settings.control.locations
    return json_answer(wire.LocationList([location_view(id_, name) for name in names]))


async def list_own_tenants(request: Request) -> Response:
    service = service_of(request)
    tenant = caller(request).tenant_id
    name = service.read(lambda connection: service.directory.tenant_name(connection, tenant)) or tenant
    domain = urlsplit(service.public_url).hostname or ""
    shown = wire.TenantDescription(f"/tenants/{tenant}", tenant, "Home", name, domain, [domain])
    return json_answer(wire.TenantList([shown], ""))


def _seen_by(connection: Connection, principal: Principal) -> list[Subscription]:
    """The subscriptions in which the principal has a role, however far down."""
    held = assignments.of_principal(connection, principal.object_id)
    within = {subscription_in(item.scope_key) for item in held}
    whole = {item.tenant_id for item in held if item.scope_key == "/"}
    if principal.administrator:
        whole.add(principal.tenant_id)
    return [item for item in rows.all_of(connection) if item.id in within or item.tenant_id in whole]


OPERATIONS = (
    reads(
        "/subscriptions",
        list_subscriptions,
        "List the subscriptions in which the caller has a role",
        wire.SubscriptionList,
        action=None,
    ),
    reads(
        SUBSCRIPTION,
        read_subscription,
        "Read a subscription",
        wire.Subscription,
        action="Microsoft.Resources/subscriptions/read",
        filtered=True,
    ),
    reads(
        f"{SUBSCRIPTION}/locations",
        list_locations,
        "List the regions that groups and instances may name",
        wire.LocationList,
        action="Microsoft.Resources/subscriptions/locations/read",
        filtered=True,
    ),
    reads("/tenants", list_own_tenants, "List the caller's tenant", wire.TenantList, action=None),
)
