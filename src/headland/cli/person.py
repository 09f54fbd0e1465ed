"""`headland person add`, `list`, `show`, `change`, `reset` and `delete`."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click
from msgspec import Struct

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.profile import require_public
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service

_API = "/identity/people"


class Person(Struct, rename="camel"):
    """Somebody who may sign in to the portal."""

    object_id: str
    tenant_id: str
    user_name: str
    name: str
    administrator: bool
    disabled: bool
    set_up: bool
    one_time_codes: bool
    created_at: str
    last_used_at: str | None = None


class People(Struct):
    """The people of the tenant."""

    people: list[Person]


class SetUp(Struct, rename="camel"):
    """How a person sets up their account."""

    person: Person
    set_up_code: str
    set_up_link: str
    expires_at: str


@click.group()
def person() -> None:
    """Manage the people who may sign in to the portal.

    PERSON is a user name or an object id.
    """


@person.command()
@click.argument("user_name")
@click.option("--name", help="By which others know the person; else the user name.")
@click.option("--administrator", is_flag=True, help="May do everything in the tenant.")
@json_option
def add(user_name: str, name: str | None, administrator: bool, as_json: bool) -> None:
    """Add a person, and print the link to set a password.

    The link is printed this once, works once, and is for the person alone.
    """
    body = {"userName": user_name, "name": name, "administrator": administrator}
    with open_service() as service:
        document = _ask(service, "POST", _API, body=body)
    _print_set_up(document, as_json=as_json)


@person.command("list")
@json_option
def list_people(as_json: bool) -> None:
    """List the people of your tenant."""
    with open_service() as service:
        document = _ask(service, "GET", _API)
    if as_json:
        print_json(document)
        return
    print_table(
        ["User name", "Name", "State", "Administrator", "Last sign-in (UTC)"],
        [
            [item.user_name, item.name, _state(item), _yes(item.administrator), _last(item)]
            for item in view(document, People).people
        ],
        fold=("Name",),
    )


@person.command()
@click.argument("person")
@json_option
def show(person: str, as_json: bool) -> None:
    """Show one person."""
    with open_service() as service:
        document = _ask(service, "GET", _path(person), missing=_missing(person))
    _print(document, as_json=as_json)


@person.command()
@click.argument("person")
@click.option("--name", help="Another name.")
@click.option(
    "--administrator/--no-administrator", default=None, help="Whether the person administers the tenant."
)
@click.option("--disable/--enable", default=None, help="A disabled person is signed out everywhere.")
@json_option
def change(
    person: str, name: str | None, administrator: bool | None, disable: bool | None, as_json: bool
) -> None:
    """Rename, disable or enable a person, or make an administrator of one."""
    wanted = {"name": name, "administrator": administrator, "disabled": disable}
    body = {field: value for field, value in wanted.items() if value is not None}
    if not body:
        raise CliError(
            "nothing to change", "`headland person change --help` shows what can be changed", ExitCode.USAGE
        )
    with open_service() as service:
        document = _ask(service, "PATCH", _path(person), body=body, missing=_missing(person))
    _print(document, as_json=as_json)


@person.command()
@click.argument("person")
@json_option
def reset(person: str, as_json: bool) -> None:
    """Print a link by which a person sets a new password.

    Password and one-time codes open nothing any more, and the person is signed out everywhere.
    """
    with open_service() as service:
        document = _ask(service, "POST", f"{_path(person)}/reset", missing=_missing(person))
    _print_set_up(document, as_json=as_json)


@person.command()
@click.argument("person")
@quiet_option("Print nothing.")
def delete(person: str, quiet: bool) -> None:
    """Delete a person."""
    with open_service() as service:
        require_public(service.profile, "people")
        service.call("DELETE", _path(person), missing=_missing(person))
    if not quiet:
        click.echo(f"Person {person}: deleted.")


def _ask(service: "Service", method: str, path: str, **request: Any) -> dict[str, Any]:
    require_public(service.profile, "people")
    return service.document(method, path, **request)


def _path(named: str) -> str:
    return f"{_API}/{quote(named, safe='')}"


def _missing(named: str) -> CliError:
    return not_found(f"person '{named}'", "person list")


def _state(person: Person) -> str:
    if person.disabled:
        return "disabled"
    return "active" if person.set_up else "to be set up"


def _last(person: Person) -> str:
    return when(person.last_used_at) if person.last_used_at else "never"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _print(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    person = view(document, Person)
    print_record(
        {
            "User name": person.user_name,
            "Name": person.name,
            "Object ID": person.object_id,
            "Directory (tenant) ID": person.tenant_id,
            "State": _state(person),
            "Administrator": _yes(person.administrator),
            "One-time codes": "on" if person.one_time_codes else "off",
            "Added (UTC)": when(person.created_at),
            "Last sign-in (UTC)": _last(person),
        }
    )


def _print_set_up(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    made = view(document, SetUp)
    click.echo(
        f"{made.person.user_name} chooses a password at this address. It is shown this once, works once,"
    )
    click.echo(f"and until {when(made.expires_at)} (UTC):\n")
    click.echo(f"  {made.set_up_link}\n")
