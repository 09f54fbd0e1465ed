"""Boundaries drawn and changed on a map, or in the form beside it."""

import uuid
from typing import Any

from starlette.responses import Response

from headland.portal.farm_kinds import BOUNDARIES, FIELDS
from headland.portal.farm_paths import PARTY_PATTERN, path_to, tiles_path, trail_to
from headland.portal.farms import FarmService
from headland.portal.inside import RefusedError
from headland.portal.outlines import NoOutlineError, Wrong, geometry_in, written, wrong_with
from headland.portal.visits import Visit, page

_DRAW = f"{PARTY_PATTERN}/draw"
_EDIT = f"{PARTY_PATTERN}/{BOUNDARIES.segment}/{{document}}/edit"

#: Bytes of a form, in which an outline of the usual limit of positions has its place.
_LARGEST = 8 << 20

_CHANGED = (
    "Somebody else has changed this boundary since you opened it. What you have drawn is still here: save once more "
    "to put it in the place of theirs, or open the boundary anew."
)
_THERE = "There is a boundary with this ID already."


async def draw_boundary(visit: Visit) -> Response:
    return await _show_form(visit, {"id": "", "name": "", "parent": visit.asked("field")}, "")


async def make_boundary(visit: Visit) -> Response:
    id_ = visit.form.get("id", "").strip() or str(uuid.uuid4())
    of_field = visit.form.get("parent", "")
    parent = {"parentId": of_field, "parentType": "Field"} if of_field else {}
    return await _save(visit, id_, parent, "")


async def edit_boundary(visit: Visit) -> Response:
    farm = FarmService(visit.inside, visit.path("instance"))
    document = await farm.get(*_segments(visit, visit.path("document")))
    form = {"name": document.get("name", ""), "etag": document["eTag"]}
    return await _show_form(visit, form, written(document.get("geometry")))


async def change_boundary(visit: Visit) -> Response:
    return await _save(visit, visit.path("document"), {}, visit.form.get("etag", ""))


async def _save(visit: Visit, id_: str, parent: dict[str, str], etag: str) -> Response:
    farm = FarmService(visit.inside, visit.path("instance"))
    form, text = visit.form, visit.form.get("geometry", "")
    try:
        body: dict[str, Any] = {"name": form.get("name", ""), "geometry": geometry_in(text), **parent}
        await farm.write(*_segments(visit, id_), body=body, known=etag)
    except NoOutlineError as error:
        return await _show_form(visit, form, text, 400, wrong=Wrong(str(error)))
    except RefusedError as error:
        if (wrong := wrong_with(error)) is not None:
            return await _show_form(visit, form, text, error.status, wrong=wrong)
        if error.status == 412 and etag:
            form["etag"] = (await farm.get(*_segments(visit, id_)))["eTag"]
            return await _show_form(visit, form, text, 409, problem=_CHANGED)
        problem = _THERE if error.status == 412 else error.message
        return await _show_form(visit, form, text, error.status, problem=problem)
    return visit.go(path_to(*_party(visit), BOUNDARIES, id_), "The boundary is saved.")


async def _show_form(
    visit: Visit,
    form: dict[str, str],
    geometry: str,
    status: int = 200,
    *,
    wrong: Wrong | None = None,
    problem: str = "",
) -> Response:
    (instance, party), id_ = _party(visit), visit.request.path_params.get("document", "")
    farm = FarmService(visit.inside, instance)
    rights = await farm.rights()
    if not rights.allow("write", BOUNDARIES.segment):
        raise RefusedError(
            403, "", "Your role on this instance lets you look at boundaries, and not change them."
        )
    parent = form.get("parent", "")
    trail = trail_to(instance, party, BOUNDARIES if id_ else None)
    if id_:
        trail.append((form.get("name") or id_, path_to(instance, party, BOUNDARIES, id_)))
    elif parent:
        trail.append((parent, path_to(instance, party, FIELDS, parent)))
    return visit.show(
        "boundary_form.html",
        status,
        instance=instance,
        form=form,
        id=id_,
        geometry=geometry,
        wrong=wrong,
        problem=problem,
        trail=trail,
        tiles=tiles_path(instance, partyId=party),
        # Where to begin, as long as there is nothing of it.
        near=tiles_path(instance, partyId=party, **({"parentId": parent} if parent else {})),
        data=farm.address("parties", party, BOUNDARIES.segment, *([id_] if id_ else [])),
    )


def _party(visit: Visit) -> tuple[str, str]:
    return visit.path("instance"), visit.path("party")


def _segments(visit: Visit, id_: str) -> tuple[str, ...]:
    """Of a boundary's path in the API."""
    return "parties", visit.path("party"), BOUNDARIES.segment, id_


PAGES = (
    page("GET", _DRAW, draw_boundary),
    page("POST", _DRAW, make_boundary, largest=_LARGEST),
    page("GET", _EDIT, edit_boundary),
    page("POST", _EDIT, change_boundary, largest=_LARGEST),
)
