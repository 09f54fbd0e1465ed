"""The people who may sign in: for administrators."""

import asyncio
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.responses import Response

from headland.portal.inside import RefusedError
from headland.portal.visits import Visit, page

_PATH = "/portal/people"
_API = "/identity/people"


class _Person(Struct, rename="camel"):
    object_id: str
    user_name: str
    name: str
    administrator: bool
    disabled: bool
    set_up: bool
    one_time_codes: bool
    created_at: str
    last_used_at: str | None


class _People(Struct):
    people: list[_Person]


class _SetUp(Struct, rename="camel"):
    person: _Person
    set_up_code: str
    set_up_link: str
    expires_at: str


async def list_people(visit: Visit) -> Response:
    return await _list(visit)


async def add_person(visit: Visit) -> Response:
    form = visit.form
    body = {
        "userName": form.get("user_name", "").strip(),
        "name": form.get("name", "").strip() or None,
        "administrator": form.get("administrator") == "yes",
    }
    try:
        made = (await visit.inside.call("POST", _API, body=body)).of(_SetUp)
    except RefusedError as error:
        return await _list(visit, error.status, problem=error.message, form=form)
    return visit.show("person_set_up.html", 201, made=made, title="Person added")


async def show_person(visit: Visit) -> Response:
    found = (await visit.inside.call("GET", _address(visit))).of(_Person)
    return visit.show("person.html", person=found, said=visit.said, data=_address(visit))


async def change_person(visit: Visit) -> Response:
    wanted = {
        "disable": ({"disabled": True}, "Disabled, and signed out everywhere."),
        "enable": ({"disabled": False}, "Enabled."),
        "raise": ({"administrator": True}, "An administrator from now on."),
        "lower": ({"administrator": False}, "No administrator any more."),
    }.get(visit.form.get("what", ""))
    if wanted is None:
        raise RefusedError(400, "", "The form does not say what to change.")
    change, said = wanted
    await visit.inside.call("PATCH", _address(visit), body=change)
    return visit.go(f"{_PATH}/{quote(visit.path('person'))}", said)


async def reset_person(visit: Visit) -> Response:
    made = (await visit.inside.call("POST", f"{_address(visit)}/reset")).of(_SetUp)
    return visit.show("person_set_up.html", made=made, title="New set-up code")


async def delete_person(visit: Visit) -> Response:
    await visit.inside.call("DELETE", _address(visit))
    return visit.go(_PATH, "The person is deleted.")


async def _list(visit: Visit, status: int = 200, problem: str = "", form: Any = None) -> Response:
    answered = await visit.inside.call("GET", _API)

    def named(one: _Person, wanted: str) -> bool:
        return wanted in one.name.casefold() or wanted in one.user_name.casefold()

    def look() -> Response:
        shown, told = visit.found(answered.of(_People).people, named)
        return visit.show(
            "people.html",
            status,
            people=shown,
            problem=problem,
            form=form or {},
            said=visit.said,
            data=_API,
            **told,
        )

    return await asyncio.to_thread(look)


def _address(visit: Visit) -> str:
    return f"{_API}/{quote(visit.path('person'), safe='')}"


PAGES = (
    page("GET", "/people", list_people),
    page("POST", "/people", add_person),
    page("GET", "/people/{person}", show_person),
    page("POST", "/people/{person}", change_person),
    page("POST", "/people/{person}/reset", reset_person),
    page("POST", "/people/{person}/delete", delete_person),
)
