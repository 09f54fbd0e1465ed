"""A file of outlines on its way into an instance: chosen or dropped, looked at, brought in."""

import asyncio
from typing import Any

from starlette.responses import Response

from headland.farm.geometry import Limits
from headland.portal.farm_kinds import BOUNDARIES
from headland.portal.farm_paths import PARTY_PATTERN, path_to, trail_to
from headland.portal.farms import FarmService
from headland.portal.importing.features import MOST_FEATURES, UnreadableFileError
from headland.portal.importing.planning import Choice, lines_of
from headland.portal.importing.program import Job, Outcome, looked_at
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
    job = _job(visit, content=visit.file.content, field=visit.form.get("field", ""))
    if not job.content:
        return _show_choice(visit, "The file is empty.")
    try:
        found = await _looked_at(visit, job)
    except UnreadableFileError as error:
        return _show_choice(visit, str(error))
    return await _show_plan(visit, found)


async def bring_in(visit: Visit) -> Response:
    """The same by the properties that were chosen; or it is brought in."""
    await _check_rights(visit)
    form = visit.form
    choice = Choice(
        form.get("id_property", ""),
        form.get("name_property", ""),
        form.get("field", ""),
        with_fields="with_fields" in form,
        changing="changing" in form,
    )
    bringing = form.get("act") == "import"
    try:
        found = await _looked_at(
            visit, _job(visit, features=form.get("features", "") or "-", choice=choice, whole=bringing)
        )
    except UnreadableFileError as error:
        return _show_choice(visit, str(error))
    plan = found.plan
    if not bringing or not plan.taken:
        return await _show_plan(visit, found)
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


def _job(visit: Visit, **asked: Any) -> Job:
    _, party = _party(visit)
    return Job(party, Limits(visit.portal.settings.farm.max_vertices), **asked)


async def _looked_at(visit: Visit, job: Job) -> Outcome:
    instance, party = _party(visit)
    found = await looked_at(job)
    if not found.choice.changing:
        wanted = [row.id for row in found.plan.taken]
        known = await FarmService(visit.inside, instance).known_boundaries(party, wanted)
        found.plan.refuse_known(known)
    return found


async def _show_plan(visit: Visit, found: Outcome) -> Response:
    instance, party = _party(visit)
    return await asyncio.to_thread(
        visit.show,
        "import_plan.html",
        instance=instance,
        names=found.names,
        choice=found.choice,
        plan=found.plan,
        shown=_SHOWN,
        features=found.features,
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
