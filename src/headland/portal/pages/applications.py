"""App registrations: the programs that may call, and their secrets. For administrators."""

import asyncio
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.responses import Response

from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.visits import Visit, page

_PATH = "/portal/applications"
_API = "/identity/applications"


class _Secret(Struct, rename="camel"):
    id: str
    name: str | None
    hint: str
    created_at: str
    expires_at: str
    last_used_at: str | None


class _Application(Struct, rename="camel"):
    client_id: str
    tenant_id: str
    object_id: str
    name: str
    administrator: bool
    disabled: bool
    created_at: str
    created_by: str | None
    last_used_at: str | None
    secrets: list[_Secret]


class _Applications(Struct):
    applications: list[_Application]


class _Shown(Struct, rename="camel"):
    id: str
    secret: str
    expires_at: str


async def list_applications(visit: Visit) -> Response:
    answered = await visit.inside.call("GET", _API)

    def named(one: _Application, wanted: str) -> bool:
        return wanted in one.name.casefold() or one.client_id.startswith(wanted)

    def look() -> Response:
        shown, told = visit.found(answered.of(_Applications).applications, named)
        return visit.show("applications.html", applications=shown, said=visit.said, data=_API, **told)

    return await asyncio.to_thread(look)


async def show_registration(visit: Visit) -> Response:
    if not visit.person.principal.tenant_administrator:
        raise RefusedError(403, "", "Only an administrator may register applications.")
    return visit.show("application_new.html", problem="", form={})


async def register(visit: Visit) -> Response:
    """The application with a secret of its own: both are wanted, and the secret can be seen here alone."""
    form = visit.form
    body = {"name": form.get("name", "").strip(), "administrator": form.get("administrator") == "yes"}
    try:
        made = (await visit.inside.call("POST", _API, body=body)).of(_Application)
    except RefusedError as error:
        return visit.show("application_new.html", error.status, problem=error.message, form=form)
    if form.get("with_secret") != "yes":
        return visit.go(f"{_PATH}/{made.client_id}", "The application is registered.")
    secret = (await visit.inside.call("POST", f"{_API}/{made.client_id}/secrets", body={})).of(_Shown)
    return visit.show(
        "application_secret.html", 201, application=made, secret=secret, title="Application registered"
    )


async def show_application(visit: Visit) -> Response:
    return await _application(visit)


async def change_application(visit: Visit) -> Response:
    what = visit.form.get("what", "")
    changes: dict[str, tuple[dict[str, Any], str]] = {
        "disable": ({"disabled": True}, "Disabled: its tokens open nothing any more."),
        "enable": ({"disabled": False}, "Enabled."),
        "rename": ({"name": visit.form.get("name", "").strip()}, "Renamed."),
    }
    if what not in changes:
        raise RefusedError(400, "", "The form does not say what to change.")
    change, said = changes[what]
    try:
        await visit.inside.call("PATCH", _address(visit), body=change)
    except RefusedError as error:
        return await _application(visit, error.status, error.message)
    return visit.go(f"{_PATH}/{quote(visit.path('client'))}", said)


async def delete_application(visit: Visit) -> Response:
    try:
        await visit.inside.call("DELETE", _address(visit))
    except RefusedError as error:
        return await _application(visit, error.status, error.message)
    return visit.go(_PATH, "The application is deleted.")


async def add_secret(visit: Visit) -> Response:
    form = visit.form
    days = form.get("days", "").strip()
    body: dict[str, Any] = {"name": form.get("name", "").strip() or None}
    if days:
        body["lifetimeDays"] = int(days) if days.isascii() and days.isdigit() and len(days) < 10 else days
    try:
        made = (await visit.inside.call("POST", f"{_address(visit)}/secrets", body=body)).of(_Shown)
    except RefusedError as error:
        return await _application(visit, error.status, error.message)
    application = (await visit.inside.call("GET", _address(visit))).of(_Application)
    return visit.show(
        "application_secret.html", 201, application=application, secret=made, title="New client secret"
    )


async def revoke_secret(visit: Visit) -> Response:
    await visit.inside.call("DELETE", f"{_address(visit)}/secrets/{quote(visit.path('secret'), safe='')}")
    return visit.go(f"{_PATH}/{quote(visit.path('client'))}", "The secret is revoked.")


async def _application(visit: Visit, status: int = 200, problem: str = "") -> Response:
    found = (await visit.inside.call("GET", _address(visit))).of(_Application)
    return visit.show(
        "application.html",
        status,
        application=found,
        names=await Directory.of(visit.inside),
        problem=problem,
        said=visit.said,
        data=_address(visit),
    )


def _address(visit: Visit) -> str:
    return f"{_API}/{quote(visit.path('client'), safe='')}"


PAGES = (
    page("GET", "/applications", list_applications),
    page("GET", "/applications/new", show_registration),
    page("POST", "/applications/new", register),
    page("GET", "/applications/{client}", show_application),
    page("POST", "/applications/{client}", change_application),
    page("POST", "/applications/{client}/delete", delete_application),
    page("POST", "/applications/{client}/secrets", add_secret),
    page("POST", "/applications/{client}/secrets/{secret}/revoke", revoke_secret),
)
