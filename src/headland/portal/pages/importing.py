"""A file of outlines on its way into an instance: chosen or dropped, looked at, brought in."""

import asyncio
from collections.abc import Sequence

from starlette.responses import Response

from headland.farm.geometry import Limits
from headland.portal.farm_kinds import BOUNDARIES
from headland.portal.farm_paths import PARTY_PATTERN, path_to, trail_to
from headland.portal.farms import FarmService
from headland.portal.importing.features import MOST_FEATURES, Feature, UnreadableFileError, packed, unpacked
from headland.portal.importing.planning import Choice, Plan, lines_of, plan_of, property_names, usual_choice
from headland.portal.importing.reading import read_features
from headland.portal.inside import RefusedError
from headland.portal.visits import Visit, page

_IMPORT = f"{PARTY_PATTERN}/import"

#: Bytes of a file; of the form that carries what was in it to the next step.
LARGEST_FILE = 16 << 20
_LARGEST_FORM = 2 * LARGEST_FILE

#: Rows of a preview, and reasons of refusals: nobody reads more.
_SHOWN = 50


async def choose_file(visit: Visit) -> Response:
    await _check_rights(visit)
    return _show_choice(visit)


async def look_at_file(visit: Visit) -> Response:
    """What would be made of a file, by the usual properties."""
    await _check_rights(visit)
    if visit.file is None or not visit.file.name:
        return _show_choice(visit, "Choose a file.")
    try:
        features = await asyncio.to_thread(read_features, visit.file.content)
    except UnreadableFileError as error:
        return _show_choice(visit, str(error))
    choice = usual_choice(property_names(features), visit.form.get("field", ""))
    return await _show_plan(visit, features, choice, await _plan(visit, features, choice))


async def bring_in(visit: Visit) -> Response:
    """The same by the properties that were chosen; or it is brought in."""
    await _check_rights(visit)
    form = visit.form
    try:
        features = await asyncio.to_thread(unpacked, form.get("features", ""))
    except UnreadableFileError as error:
        return _show_choice(visit, str(error))
    choice = Choice(
        form.get("id_property", ""),
        form.get("name_property", ""),
        form.get("field", ""),
        with_fields="with_fields" in form,
        changing="changing" in form,
    )
    plan = await _plan(visit, features, choice)
    if form.get("act") != "import" or not plan.taken:
        return await _show_plan(visit, features, choice, plan)
    instance, party = _party(visit)
    lines = await asyncio.to_thread(lambda: b"".join(lines_of(plan, choice, party)))
    account = await FarmService(visit.inside, instance).bring(lines, merging=choice.changing)
    return visit.show(
        "import_done.html",
        instance=instance,
        account=account,
        plan=plan,
        shown=_SHOWN,
        trail=trail_to(instance, party),
        base=path_to(instance, party),
        data=_data(visit),
    )


async def _plan(visit: Visit, features: Sequence[Feature], choice: Choice) -> Plan:
    instance, party = _party(visit)
    limits = Limits(visit.portal.settings.farm.max_vertices)
    plan = await asyncio.to_thread(plan_of, features, choice, party, limits)
    if not choice.changing:
        wanted = [row.id for row in plan.taken]
        plan.refuse_known(await FarmService(visit.inside, instance).known_boundaries(party, wanted))
    return plan


async def _show_plan(visit: Visit, features: Sequence[Feature], choice: Choice, plan: Plan) -> Response:
    instance, party = _party(visit)
    return visit.show(
        "import_plan.html",
        instance=instance,
        names=property_names(features),
        choice=choice,
        plan=plan,
        shown=_SHOWN,
        features=await asyncio.to_thread(packed, features),
        trail=trail_to(instance, party),
        action=f"{path_to(instance, party)}/import/confirm",
        data=_data(visit),
    )


def _show_choice(visit: Visit, problem: str = "") -> Response:
    instance, party = _party(visit)
    return visit.show(
        "import.html",
        400 if problem else 200,
        instance=instance,
        problem=problem,
        field=visit.form.get("field", visit.asked("field")),
        largest=LARGEST_FILE >> 20,
        most=MOST_FEATURES,
        trail=trail_to(instance, party),
        action=f"{path_to(instance, party)}/import",
        data=_data(visit),
    )


async def _check_rights(visit: Visit) -> None:
    rights = await FarmService(visit.inside, visit.path("instance")).rights()
    if not rights.allow("write", "bulk"):
        raise RefusedError(
            403, "", "Your role on this instance lets you look at its data, and bring none in."
        )


def _data(visit: Visit) -> str:
    """Where the API has the boundaries that there are."""
    instance, party = _party(visit)
    return FarmService(visit.inside, instance).address("parties", party, BOUNDARIES.segment)


def _party(visit: Visit) -> tuple[str, str]:
    return visit.path("instance"), visit.path("party")


PAGES = (
    page("GET", _IMPORT, choose_file),
    page("POST", _IMPORT, look_at_file, largest_file=LARGEST_FILE),
    page("POST", f"{_IMPORT}/confirm", bring_in, largest=_LARGEST_FORM),
)
