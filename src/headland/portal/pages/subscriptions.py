"""Subscriptions, and what is in them."""

import asyncio
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.manager import FARM_BEATS, Manager, group_path
from headland.portal.visits import Visit, page

_PATH = "/portal/subscriptions"

#: What is left out of a group's list until somebody asks for hidden types.
HIDDEN = frozenset({FARM_BEATS.lower()})


async def list_subscriptions(visit: Visit) -> Response:
    return await _list(visit)


async def ask_for_access(visit: Visit) -> Response:
    form = visit.form
    body = {
        "displayName": form.get("display_name", "").strip(),
        "reason": form.get("reason", "").strip(),
        "acceptTerms": form.get("accept_terms", ""),
    }
    if subscription := form.get("subscription_id", "").strip():
        body["subscriptionId"] = subscription
    if not body["acceptTerms"]:
        problem = "A subscription is given to who accepts the terms."
        return await _list(visit, 400, problem=problem, form=form)
    try:
        await Manager(visit.inside).ask_for_access(body)
    except RefusedError as error:
        return await _list(visit, error.status, problem=error.message, form=form)
    return visit.go(_PATH, "Your request is sent. An administrator decides.")


async def decide(visit: Visit) -> Response:
    verb = visit.path("verb")
    comment = visit.form.get("comment", "").strip() or None
    await Manager(visit.inside).decide(visit.path("request"), verb, comment)
    return visit.go(
        _PATH, {"approve": "The subscription is given.", "refuse": "The request is refused."}[verb]
    )


async def show_subscription(visit: Visit) -> Response:
    manager, id_ = Manager(visit.inside), visit.path("subscription")
    found = next((one for one in await manager.subscriptions() if one.subscription_id == id_), None)
    if found is None:
        raise RefusedError(404, "SubscriptionNotFound", "There is no such subscription that you may see.")
    return visit.show(
        "subscription.html",
        subscription=found,
        groups=await manager.groups(id_),
        said=visit.said,
        data=f"/subscriptions/{id_}/resourcegroups?api-version=2025-04-01",
    )


async def show_group(visit: Visit) -> Response:
    manager, subscription, name = Manager(visit.inside), visit.path("subscription"), visit.path("group")
    group = await manager.group(subscription, name)
    inside = await manager.resources(subscription, name)
    hidden = visit.asked("hidden") == "on"
    shown = [one for one in inside if hidden or one.type.lower() not in HIDDEN]
    return visit.show(
        "group.html",
        subscription=subscription,
        group=group,
        resources=shown,
        hidden=hidden,
        left_out=len(inside) - len(shown),
        said=visit.said,
        data=f"{group_path(subscription, name)}/resources?api-version=2025-04-01",
    )


async def delete_group(visit: Visit) -> Response:
    subscription, name = visit.path("subscription"), visit.path("group")
    if visit.form.get("name", "").strip().lower() != name.lower():
        raise RefusedError(400, "", "To delete a resource group, type its name. Nothing was deleted.")
    await Manager(visit.inside).delete_group(subscription, name)
    return visit.go(f"{_PATH}/{quote(subscription)}", f"{name} is being deleted with all that is in it.")


async def _list(visit: Visit, status: int = 200, problem: str = "", form: Any = None) -> Response:
    manager = Manager(visit.inside)
    found, requests, terms = await asyncio.gather(
        manager.subscriptions(), manager.access_requests(), manager.terms()
    )
    return visit.show(
        "subscriptions.html",
        status,
        subscriptions=found,
        requests=requests,
        terms=terms,
        names=await Directory.of(visit.inside),
        decides=visit.person.principal.administrator,
        problem=problem,
        form=form or {},
        said=visit.said,
        data="/subscriptions?api-version=2022-12-01",
    )


PAGES = (
    page("GET", "/subscriptions", list_subscriptions),
    page("POST", "/subscriptions", ask_for_access),
    page("POST", "/access-requests/{request}/{verb}", decide),
    page("GET", "/subscriptions/{subscription}", show_subscription),
    page("GET", "/subscriptions/{subscription}/groups/{group}", show_group),
    page("POST", "/subscriptions/{subscription}/groups/{group}/delete", delete_group),
)
