"""`headland app list`, `show`, `disable`, `enable` and `delete`."""

import click

from headland.cli.app.directory import Application, Applications, Directory
from headland.cli.app.secrets import print_secrets
from headland.cli.documents import view
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.surroundings import open_service


@click.command("list")
@json_option
def list_applications(as_json: bool) -> None:
    """List the tenant's applications."""
    with open_service() as service:
        document = Directory(service).applications()
    if as_json:
        print_json(document)
        return
    print_table(
        ["Client id", "Name", "Administrator", "State"],
        [
            [item.client_id, item.name, item.administrator, "disabled" if item.disabled else "enabled"]
            for item in view(document, Applications).applications
        ],
        fold=("Name",),
    )


@click.command()
@click.argument("client_id")
@json_option
def show(client_id: str, as_json: bool) -> None:
    """Show one application and its secrets."""
    with open_service() as service:
        document = Directory(service).application(client_id)
    if as_json:
        print_json(document)
        return
    application = view(document, Application)
    print_record(
        {
            "Application (client) ID": application.client_id,
            "Directory (tenant) ID": application.tenant_id,
            "Tenant": application.tenant_name,
            "App Name": application.name,
            "Object ID": application.object_id,
            "Administrator": application.administrator,
            "State": "disabled" if application.disabled else "enabled",
            "Created (UTC)": when(application.created_at),
            "Created by": application.created_by,
            "Last used (UTC)": when(application.last_used_at) if application.last_used_at else None,
        }
    )
    if application.secrets:
        click.echo()
        print_secrets(application.secrets)


@click.command()
@click.argument("client_id")
@json_option
@quiet_option("Print nothing.")
def disable(client_id: str, as_json: bool, quiet: bool) -> None:
    """Refuse an application tokens until it is enabled."""
    _set_disabled(client_id, disabled=True, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("client_id")
@json_option
@quiet_option("Print nothing.")
def enable(client_id: str, as_json: bool, quiet: bool) -> None:
    """Give a disabled application tokens again."""
    _set_disabled(client_id, disabled=False, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("client_id")
@quiet_option("Print nothing.")
def delete(client_id: str, quiet: bool) -> None:
    """Remove an application, its secrets and certificates."""
    with open_service() as service:
        Directory(service).delete(client_id)
    if not quiet:
        click.echo(f"Application {client_id}: deleted.")


def _set_disabled(client_id: str, *, disabled: bool, as_json: bool, quiet: bool) -> None:
    with open_service() as service:
        document = Directory(service).set_disabled(client_id, disabled=disabled)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Application {client_id}: {'disabled' if disabled else 'enabled'}.")
