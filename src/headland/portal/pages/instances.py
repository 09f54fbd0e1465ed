"""Instances: the list of them, and one with its tags and who may do what with it."""

import asyncio
from typing import Any

from starlette.responses import Response

from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.manager import PROVIDED, Manager, Place
from headland.portal.visits import Visit, page

#: Applications and people that are offered at once.
_MOST = 20

_ONE = "/instances/{subscription}/{group}/{name}"


async def list_instances(visit: Visit) -> Response:
    found = await Manager(visit.inside).all_instances()
    return visit.show("instances.html", found=found, said=visit.said)


async def show_instance(visit: Visit) -> Response:
    return await _instance(visit)


async def tag_instance(visit: Visit) -> Response:
    names = [text.strip() for name, text in visit.fields if name == "tag_name"]
    values = [text.strip() for name, text in visit.fields if name == "tag_value"]
    tags = {name: value for name, value in zip(names, values, strict=False) if name}
    place = _place(visit)
    try:
        await Manager(visit.inside).tag_instance(place, tags)
    except RefusedError as error:
        return await _instance(visit, error.status, error.message)
    return visit.go(place.page, "The tags are saved.")


async def delete_instance(visit: Visit) -> Response:
    place = _place(visit)
    if visit.form.get("confirmed", "").strip().lower() != place.name.lower():
        return await _instance(visit, 400, "To delete an instance, type its name. Nothing was deleted.")
    await Manager(visit.inside).delete_instance(place)
    return visit.go("/portal/instances", f"{place.name} is deleted.")


async def show_access(visit: Visit) -> Response:
    place, manager = _place(visit), Manager(visit.inside)
    instance, assignments, roles, names = await asyncio.gather(
        manager.instance(place),
        manager.assignments(place.api),
        manager.roles(place.api),
        Directory.of(visit.inside),
    )
    return visit.show(
        "access.html",
        instance=instance,
        place=place,
        assignments=assignments,
        roles={role.name: role.properties.role_name for role in roles},
        names=names,
        said=visit.said,
        data=f"{place.api}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01",
    )


async def show_adding(visit: Visit) -> Response:
    return await _adding(visit)


async def add_assignment(visit: Visit) -> Response:
    place, form = _place(visit), visit.form
    principal = form.get("principal", "") or form.get("object_id", "").strip()
    if not form.get("role"):
        return await _adding(visit, 400, "Choose a role.")
    if not principal:
        return await _adding(visit, 400, "Choose an application or a person.")
    try:
        await Manager(visit.inside).assign(place.api, form["role"], principal)
    except RefusedError as error:
        return await _adding(visit, error.status, error.message)
    return visit.go(f"{place.page}/access", "The role is assigned, and counts from now on.")


async def remove_assignment(visit: Visit) -> Response:
    place, manager, wanted = _place(visit), Manager(visit.inside), visit.path("assignment")
    found = next((one for one in await manager.assignments(place.api) if one.name == wanted), None)
    if found is None:
        raise RefusedError(404, "", "There is no such role assignment: it may be removed already.")
    await manager.unassign(found.id)
    return visit.go(f"{place.page}/access", "The role is removed, at once.")


async def _instance(visit: Visit, status: int = 200, problem: str = "") -> Response:
    place = _place(visit)
    instance, names = await asyncio.gather(Manager(visit.inside).instance(place), Directory.of(visit.inside))
    return visit.show(
        "instance.html",
        status,
        instance=instance,
        place=place,
        names=names,
        problem=problem,
        said=visit.said,
        data=f"{place.api}?api-version={PROVIDED}",
    )


async def _adding(visit: Visit, status: int = 200, problem: str = "") -> Response:
    place, form = _place(visit), visit.form
    find = form.get("find", "") or visit.asked("find")
    names = await Directory.of(visit.inside)
    values: dict[str, Any] = {
        "place": place,
        "names": names,
        "matching": names.matching(find, _MOST),
        "most": _MOST,
        "find": find,
        "chosen": form.get("principal", ""),
    }
    if visit.partial:
        return visit.show("access_matching.html", **values)
    roles = await Manager(visit.inside).roles(place.api)
    roles.sort(key=lambda role: not role.properties.opens_data)
    return visit.show(
        "access_add.html", status, roles=roles, role=form.get("role", ""), problem=problem, **values
    )


def _place(visit: Visit) -> Place:
    return Place(visit.path("subscription"), visit.path("group"), visit.path("name"))


PAGES = (
    page("GET", "/instances", list_instances),
    page("GET", _ONE, show_instance),
    page("POST", f"{_ONE}/tags", tag_instance),
    page("POST", f"{_ONE}/delete", delete_instance),
    page("GET", f"{_ONE}/access", show_access),
    page("GET", f"{_ONE}/access/add", show_adding),
    page("POST", f"{_ONE}/access/add", add_assignment),
    page("POST", f"{_ONE}/access/find", show_adding),
    page("POST", f"{_ONE}/access/{{assignment}}/remove", remove_assignment),
)
