"""Making an instance: a form, a review, and what becomes of it."""

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from headland.portal.inside import RefusedError
from headland.portal.manager import Manager, Place, Resource
from headland.portal.visits import Visit, page

#: Rows for tags in an empty form; each further one that is filled in brings one more.
_TAG_ROWS = 2


@dataclass(frozen=True)
class Wanted:
    """What was filled in so far."""

    subscription: str = ""
    group: str = ""
    new_group: str = ""
    name: str = ""
    location: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    accepts: bool = False

    @classmethod
    def of(cls, visit: Visit) -> "Wanted":
        form = visit.form
        names = [text.strip() for name, text in visit.fields if name == "tag_name"]
        values = [text.strip() for name, text in visit.fields if name == "tag_value"]
        return cls(
            subscription=form.get("subscription", ""),
            group=form.get("group", ""),
            new_group=form.get("new_group", "").strip(),
            name=form.get("name", "").strip(),
            location=form.get("location", ""),
            tags=tuple(pair for pair in zip(names, values, strict=False) if any(pair)),
            accepts=form.get("accepts") == "yes",
        )

    @property
    def place(self) -> Place:
        return Place(self.subscription, self.new_group or self.group, self.name)

    @property
    def body(self) -> dict[str, Any]:
        return {"location": self.location, "tags": dict(self.tags)}

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Tags as the form has them, with room for more."""
        return [*self.tags, *[("", "")] * max(1, _TAG_ROWS - len(self.tags))]


async def show_form(visit: Visit) -> Response:
    return await _form(visit, Wanted(subscription=visit.asked("subscription"), group=visit.asked("group")))


async def fill_in(visit: Visit) -> Response:
    """The form once more, with what was filled in."""
    return await _form(visit, Wanted.of(visit))


async def review(visit: Visit) -> Response:
    wanted, manager = Wanted.of(visit), Manager(visit.inside)
    field, problem = _incomplete(wanted)
    if not problem:
        field, problem = await _wrong(wanted, manager)
    if problem:
        return await _form(visit, wanted, 400, field, problem)
    registered, accepted, subscriptions = await asyncio.gather(
        manager.registered(wanted.subscription),
        manager.accepted(wanted.subscription),
        manager.subscriptions(),
    )
    shown = next((one for one in subscriptions if one.subscription_id == wanted.subscription), None)
    return visit.show(
        "instance_review.html",
        wanted=wanted,
        subscription=shown,
        registered=registered,
        accepted=accepted,
        location=await _displayed(manager, wanted),
    )


async def create(visit: Visit) -> Response:
    """What the review has shown, in an order in which each step may be done again."""
    wanted, manager = Wanted.of(visit), Manager(visit.inside)
    field, problem = _incomplete(wanted)
    if problem:
        return await _form(visit, wanted, 400, field, problem)
    try:
        if wanted.new_group:
            await manager.put_group(wanted.subscription, wanted.new_group, wanted.location)
        if not await manager.registered(wanted.subscription):
            await manager.register(wanted.subscription)
        if wanted.accepts and not await manager.accepted(wanted.subscription):
            await manager.accept(wanted.subscription)
        await manager.put_instance(wanted.place, wanted.body)
    except RefusedError as error:
        return await _form(visit, wanted, error.status, error.field or "", error.message)
    return visit.go(f"{wanted.place.page}/deployment")


async def show_deployment(visit: Visit) -> Response:
    place = Place(visit.path("subscription"), visit.path("group"), visit.path("name"))
    manager = Manager(visit.inside)
    instance = await manager.instance(place)
    failure = await manager.failure(place) if instance.state == "Failed" else ""
    template = "deployment_state.html" if visit.partial else "deployment.html"
    return visit.show(template, instance=instance, place=place, failure=failure)


async def _form(
    visit: Visit, wanted: Wanted, status: int = 200, field: str = "", problem: str = ""
) -> Response:
    manager = Manager(visit.inside)
    found = await manager.subscriptions()
    lists = await asyncio.gather(*(_groups(manager, one.subscription_id) for one in found))
    groups = {one.subscription_id: some for one, some in zip(found, lists, strict=True) if some is not None}
    if not groups:
        return visit.show("instance_no_subscription.html", subscriptions=found)
    chosen = wanted.subscription if wanted.subscription in groups else next(iter(groups))
    locations, accepted, terms = await asyncio.gather(
        manager.locations(chosen), _accepted(manager, chosen), manager.terms()
    )
    return visit.show(
        "instance_new.html",
        status,
        subscriptions=[one for one in found if one.subscription_id in groups],
        chosen=chosen,
        groups=groups[chosen],
        locations=sorted(locations, key=lambda one: one.display_name),
        accepted=accepted,
        terms=terms,
        wanted=wanted,
        field=field.rpartition(".")[2],
        problem=problem,
    )


async def _groups(manager: Manager, subscription: str) -> list[Resource] | None:
    """None where the person may not see them: somebody with a role on an instance's data makes none beside it."""
    try:
        return await manager.groups(subscription)
    except RefusedError as error:
        if error.status == 403:
            return None
        raise


async def _accepted(manager: Manager, subscription: str) -> bool:
    """Whether the terms are accepted. Who may not look has to accept them; it is refused then, if need be."""
    try:
        return await manager.accepted(subscription)
    except RefusedError as error:
        if error.status == 403:
            return False
        raise


def _incomplete(wanted: Wanted) -> tuple[str, str]:
    """Which field is missing, and what is to be said of it."""
    for field, text, problem in (
        ("subscription", wanted.subscription, "Choose a subscription."),
        ("group", wanted.place.group, "Choose a resource group, or name a new one."),
        ("name", wanted.name, "Give the instance a name."),
        ("location", wanted.location, "Choose a region."),
    ):
        if not text:
            return field, problem
    if any(not name for name, _ in wanted.tags):
        return "tags", "A tag needs a name."
    if len({name.lower() for name, _ in wanted.tags}) < len(wanted.tags):
        return "tags", "Two tags have the same name."
    return "", ""


async def _wrong(wanted: Wanted, manager: Manager) -> tuple[str, str]:
    """What the resource manager has against it, before anything is made."""
    try:
        accepted = await _accepted(manager, wanted.subscription)
        if not accepted and not wanted.accepts:
            return "accepts", "Instances are made for those who accept the terms."
        if await _can_be_reviewed(wanted, manager, accepted=accepted):
            exists = (await manager.review(wanted.place, wanted.body))["exists"]
            return "name", "There is an instance of this name already." if exists else ""
        groups = await manager.groups(wanted.subscription) if wanted.new_group else []
        if wanted.new_group.lower() in {one.name.lower() for one in groups}:
            return "new_group", "There is a group of this name already: choose it above."
        return "name", await manager.why_not(wanted.subscription, wanted.name)
    except RefusedError as error:
        return error.field or "", error.message


async def _can_be_reviewed(wanted: Wanted, manager: Manager, *, accepted: bool) -> bool:
    """Whether all is there already that the resource manager's own review asks for."""
    return accepted and not wanted.new_group and await manager.registered(wanted.subscription)


async def _displayed(manager: Manager, wanted: Wanted) -> str:
    found = await manager.locations(wanted.subscription)
    return next((one.display_name for one in found if one.name == wanted.location), wanted.location)


PAGES = (
    page("GET", "/instances/new", show_form),
    page("POST", "/instances/new", fill_in),
    page("POST", "/instances/new/review", review),
    page("POST", "/instances/new/create", create),
    page("GET", "/instances/{subscription}/{group}/{name}/deployment", show_deployment),
)
