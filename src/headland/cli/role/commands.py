"""`headland role definitions`, `assign`, `list` and `remove`."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from headland.cli.app.directory import Applications, Directory
from headland.cli.control.manager import Manager, assignments
from headland.cli.control.options import subscription_option
from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.surroundings import open_service

F = TypeVar("F", bound=Callable[..., Any])

#: The three of the agriculture service, as its documents call them for short.
_SHORT = {
    "admin": "AgFood Platform Service Admin",
    "contributor": "AgFood Platform Service Contributor",
    "reader": "AgFood Platform Service Reader",
}


def _scope_options(function: F) -> F:
    for option in (
        click.option("--scope", metavar="ID", help="Any scope, by its id."),
        click.option("--instance", metavar="NAME", help="Instance in that group."),
        click.option("--group", metavar="NAME", help="Resource group."),
    ):
        function = option(function)
    return function


@click.command()
@subscription_option
@json_option
def definitions(subscription: str | None, as_json: bool) -> None:
    """List the roles that there are."""
    with open_service() as service:
        found = Manager(service, subscription).roles()
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Name", "ID", "What it is for"],
        [[item["properties"]["roleName"], item["name"], item["properties"]["description"]] for item in found],
        fold=("Name", "What it is for"),
    )


@click.command()
@click.argument("role")
@click.argument("application")
@_scope_options
@subscription_option
@json_option
@quiet_option("Print nothing.")
def assign(
    *,
    role: str,
    application: str,
    group: str | None,
    instance: str | None,
    scope: str | None,
    subscription: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Give an application a role.

    ROLE is a role's name or id; admin, contributor and reader are those of the agriculture service.
    APPLICATION is an application's client id or object id.
    """
    with open_service() as service:
        manager = Manager(service, subscription)
        where = _scope(manager, group, instance, scope)
        wanted = _role(manager, role)
        principal = _object_id(Directory(service), application)
        document = manager.assign(where, wanted["name"], principal)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(
            f"{wanted['properties']['roleName']} given to {application}: assignment {document['name']}."
        )


@click.command("list")
@_scope_options
@subscription_option
@json_option
def list_assignments(
    group: str | None, instance: str | None, scope: str | None, subscription: str | None, as_json: bool
) -> None:
    """List role assignments that hold at a scope, and those below it."""
    with open_service() as service:
        manager = Manager(service, subscription)
        found = list(manager.pages(assignments(_scope(manager, group, instance, scope))))
        names = {item["name"]: item["properties"]["roleName"] for item in manager.roles()}
    if as_json:
        print_json({"value": found})
        return
    rows = []
    for item in found:
        properties = item["properties"]
        role = properties["roleDefinitionId"].rpartition("/")[2]
        rows.append([names.get(role, role), properties["principalId"], properties["scope"], item["name"]])
    print_table(["Role", "Principal", "Scope", "Assignment"], rows, fold=("Role",))


@click.command()
@click.argument("assignment")
@_scope_options
@subscription_option
@quiet_option("Print nothing.")
def remove(
    *,
    assignment: str,
    group: str | None,
    instance: str | None,
    scope: str | None,
    subscription: str | None,
    quiet: bool,
) -> None:
    """Take a role from an application, at once. ASSIGNMENT is the id that `headland role list` shows."""
    with open_service() as service:
        manager = Manager(service, subscription)
        where = _scope(manager, group, instance, scope)
        known = next(
            (item for item in manager.pages(assignments(where)) if item["name"] == assignment.lower()), None
        )
        if known is None:
            raise not_found(f"role assignment '{assignment}' at {where} or below it", "role list")
        manager.call("DELETE", known["id"])
    if not quiet:
        click.echo(f"Role assignment {assignment}: removed.")


def _scope(manager: Manager, group: str | None, instance: str | None, scope: str | None) -> str:
    if scope is not None:
        if group or instance:
            raise click.UsageError("--scope goes not with --group or --instance.")
        return scope
    if instance is not None:
        if group is None:
            raise click.UsageError("--instance needs its --group.")
        return manager.instance(group, instance)
    return manager.group(group) if group is not None else manager.subscription


def _role(manager: Manager, wanted: str) -> dict[str, Any]:
    name = _SHORT.get(wanted.lower(), wanted).lower()
    for item in manager.roles():
        if name in {item["name"], item["properties"]["roleName"].lower()}:
            return item
    raise not_found(f"role '{wanted}'", "role definitions")


def _object_id(directory: Directory, application: str) -> str:
    """An application's object id; what it is called by may be that already."""
    try:
        known = view(directory.applications(), Applications).applications
    except CliError as error:
        if error.code == ExitCode.DENIED:
            # Owners who are no administrators can't look into the directory, and name the object id.
            return application
        raise
    return next((item.object_id for item in known if item.client_id == application.lower()), application)
