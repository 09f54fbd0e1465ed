"""Headland's own API of people."""

import asyncio

from msgspec import UNSET
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import wire as shared
from headland.identity.admin_service import administrator, body_of, carry_out, place_of, service_of
from headland.identity.application_routes import BAD_BODY, NO_TENANT, PREFIX, TENANT
from headland.identity.errors import SessionNotFoundError
from headland.identity.people import changes, people, store, wire
from headland.identity.people.sessions import Sessions
from headland.identity.people.views import person_view, session_view, set_up_view
from headland.identity.service import UNCACHED


async def list_people(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.People:
        found = store.people(connection, place_of(connection, principal, request).tenant.id)
        return wire.People([person_view(person) for person in found])

    # There may be ten thousand.
    return await asyncio.to_thread(lambda: json_answer(service_of(request).database.read(look)))


async def add_person(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.NewPerson)
    now = service_of(request).now()

    def add(connection: Connection) -> tuple[people.SetUp, Change]:
        made = people.add(
            connection,
            place_of(connection, principal, request).tenant.id,
            wanted.user_name,
            name=wanted.name,
            administrator=wanted.administrator,
            created_by=principal.object_id,
            now=now,
        )
        return made, changes.added(made.person)

    made = await carry_out(request, principal, add)
    location = f"{PREFIX}/people/{made.person.object_id}"
    return _set_up(request, made, 201, {"location": location})


async def read_person(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Person:
        tenant = place_of(connection, principal, request).tenant
        return person_view(people.get(connection, tenant.id, _named(request)))

    return json_answer(service_of(request).database.read(look))


async def change_person(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.PersonChange)
    now = service_of(request).now()

    def change(connection: Connection) -> tuple[wire.Person, Change | None]:
        tenant = place_of(connection, principal, request).tenant
        before = people.get(connection, tenant.id, _named(request))
        after = people.change(
            connection,
            before,
            name=None if wanted.name is UNSET else wanted.name,
            administrator=None if wanted.administrator is UNSET else wanted.administrator,
            disabled=None if wanted.disabled is UNSET else wanted.disabled,
            now=now,
        )
        return person_view(after), changes.changed(before, after)

    return json_answer(await carry_out(request, principal, change))


async def reset_person(request: Request) -> Response:
    principal = await administrator(request)
    now = service_of(request).now()

    def reset(connection: Connection) -> tuple[people.SetUp, Change]:
        tenant = place_of(connection, principal, request).tenant
        made = people.reset(connection, people.get(connection, tenant.id, _named(request)), now)
        return made, changes.was_reset(made.person)

    return _set_up(request, await carry_out(request, principal, reset), 200, {})


async def list_person_sessions(request: Request) -> Response:
    principal = await administrator(request)
    service = service_of(request)
    limits = service.settings.portal
    sessions = Sessions(
        service.database, idle=limits.session_idle, lifetime=limits.session_lifetime, clock=service.clock
    )

    def look(connection: Connection) -> wire.Sessions:
        tenant = place_of(connection, principal, request).tenant
        person = people.get(connection, tenant.id, _named(request))
        return wire.Sessions([session_view(one) for one in sessions.listed(connection, person.object_id)])

    return json_answer(service.database.read(look))


async def end_person_session(request: Request) -> Response:
    principal = await administrator(request)
    id_ = str(request.path_params["session"])

    def end(connection: Connection) -> tuple[None, Change]:
        tenant = place_of(connection, principal, request).tenant
        person = people.get(connection, tenant.id, _named(request))
        if not store.delete_one_session(connection, person.object_id, id_):
            raise SessionNotFoundError
        return None, changes.session_ended(person, id_)

    await carry_out(request, principal, end)
    return Response(status_code=204)


async def delete_person(request: Request) -> Response:
    principal = await administrator(request)

    def delete(connection: Connection) -> tuple[None, Change]:
        tenant = place_of(connection, principal, request).tenant
        gone = people.get(connection, tenant.id, _named(request))
        people.delete(connection, gone)
        return None, changes.deleted(gone)

    await carry_out(request, principal, delete)
    return Response(status_code=204)


def _named(request: Request) -> str:
    return str(request.path_params["person"])


def _set_up(request: Request, made: people.SetUp, status: int, headers: dict[str, str]) -> Response:
    shown = set_up_view(made, service_of(request).settings.server.public_url)
    return json_answer(shown, status, {**UNCACHED, **headers})


_ONE = "/people/{person}"
_UNKNOWN = {404: Answer("There is no such tenant or person.", shared.Problem)}

OPERATIONS = (
    Operation(
        "GET",
        "/people",
        list_people,
        "List the people of the tenant, who may sign in to the portal",
        {200: Answer("The people, by user name.", wire.People), **NO_TENANT},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "POST",
        "/people",
        add_person,
        "Add a person, who chooses a password by the code that is answered",
        {
            201: Answer(
                "It is added; the code is shown this once.", wire.SetUp, {"Location": "Its address."}
            ),
            **BAD_BODY,
            **NO_TENANT,
            409: Answer("Somebody has that user name.", shared.Problem),
        },
        body=wire.NewPerson,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "GET",
        _ONE,
        read_person,
        "Read a person, by object id or user name",
        {200: Answer("The person.", wire.Person), **_UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "PATCH",
        _ONE,
        change_person,
        "Rename, disable or enable a person, or make it an administrator",
        {200: Answer("It is changed.", wire.Person), **BAD_BODY, **_UNKNOWN},
        body=wire.PersonChange,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "POST",
        f"{_ONE}/reset",
        reset_person,
        "Have a person choose a password anew; it is signed out everywhere, and one-time codes are off",
        {200: Answer("The code, shown this once.", wire.SetUp), **_UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "GET",
        f"{_ONE}/sessions",
        list_person_sessions,
        "List the browsers in which a person is signed in",
        {200: Answer("The sessions, the one that was used last first.", wire.Sessions), **_UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "DELETE",
        f"{_ONE}/sessions/{{session}}",
        end_person_session,
        "Sign a person out of one browser",
        {
            204: Answer("The session is over."),
            404: Answer("There is no such tenant, person or session.", shared.Problem),
        },
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "DELETE",
        _ONE,
        delete_person,
        "Delete a person",
        {204: Answer("It is deleted."), **_UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
)
