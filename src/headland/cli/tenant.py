"""`headland tenant create`, `list`, `show`, `rename` and `delete`."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click
from msgspec import Struct

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.profile import require_public
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service


class Tenant(Struct, rename="camel"):
    """A tenant."""

    tenant_id: str
    name: str
    created_at: str
    created_by: str | None = None


class Tenants(Struct):
    """Those that the caller may see."""

    tenants: list[Tenant]


@click.group()
def tenant() -> None:
    """Manage tenants.

    TENANT is a tenant's id or name. Administrators of the first tenant may use these commands; those of
    another see their own.
    """


@tenant.command()
@click.argument("name")
@json_option
def create(name: str, as_json: bool) -> None:
    """Make a tenant.

    `headland app --tenant NAME create --administrator …` registers who administers it.
    """
    with open_service() as service:
        document = _ask(service, "POST", "/identity/tenants", body={"name": name})
    _print(document, as_json=as_json)


@tenant.command("list")
@json_option
def list_tenants(as_json: bool) -> None:
    """List the tenants."""
    with open_service() as service:
        document = _ask(service, "GET", "/identity/tenants")
    if as_json:
        print_json(document)
        return
    print_table(
        ["Tenant id", "Name", "Created (UTC)"],
        [[item.tenant_id, item.name, when(item.created_at)] for item in view(document, Tenants).tenants],
        fold=("Name",),
    )


@tenant.command()
@click.argument("tenant")
@json_option
def show(tenant: str, as_json: bool) -> None:
    """Show one tenant."""
    with open_service() as service:
        document = _ask(service, "GET", _path(tenant), missing=_missing(tenant))
    _print(document, as_json=as_json)


@tenant.command()
@click.argument("tenant")
@click.argument("name")
@json_option
def rename(tenant: str, name: str, as_json: bool) -> None:
    """Give a tenant another name; its id stays."""
    with open_service() as service:
        document = _ask(service, "PATCH", _path(tenant), body={"name": name}, missing=_missing(tenant))
    _print(document, as_json=as_json)


@tenant.command()
@click.argument("tenant")
@quiet_option("Print nothing.")
def delete(tenant: str, quiet: bool) -> None:
    """Remove a tenant to which nothing belongs any more."""
    with open_service() as service:
        require_public(service.profile, "tenants")
        service.call("DELETE", _path(tenant), missing=_missing(tenant))
    if not quiet:
        click.echo(f"Tenant {tenant}: deleted.")


def _ask(service: "Service", method: str, path: str, **request: Any) -> dict[str, Any]:
    require_public(service.profile, "tenants")
    return service.document(method, path, **request)


def _path(named: str) -> str:
    return f"/identity/tenants/{quote(named, safe='')}"


def _missing(named: str) -> CliError:
    return not_found(f"tenant '{named}'", "tenant list")


def _print(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    tenant = view(document, Tenant)
    print_record(
        {
            "Directory (tenant) ID": tenant.tenant_id,
            "Name": tenant.name,
            "Created (UTC)": when(tenant.created_at),
            "Created by": tenant.created_by,
        }
    )
