"""`headland app secret add`, `list` and `revoke`."""

from collections.abc import Iterable

import click

from headland.cli.app.create import ONCE
from headland.cli.app.directory import Application, Directory, Secret, Secrets, shown_once
from headland.cli.documents import view
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.surroundings import open_service


@click.group()
def secret() -> None:
    """Manage an application's client secrets."""


@secret.command()
@click.argument("client_id")
@click.option("--name", help="What it is for.")
@click.option("--days", type=click.IntRange(min=1), metavar="N", help="Days it is valid for.")
@json_option
def add(client_id: str, name: str | None, days: int | None, as_json: bool) -> None:
    """Make a further secret; those there are stay valid."""
    with open_service() as service:
        directory = Directory(service)
        application = view(directory.application(client_id), Application)
        document = directory.add_secret(client_id, name, days)
    if as_json:
        print_json(document)
    else:
        print_record(shown_once(document, application.name))
        click.echo(f"\n{ONCE}")


@secret.command("list")
@click.argument("client_id")
@json_option
def list_secrets(client_id: str, as_json: bool) -> None:
    """List an application's secrets, without their values."""
    with open_service() as service:
        document = Directory(service).secrets(client_id)
    if as_json:
        print_json(document)
    else:
        print_secrets(view(document, Secrets).secrets)


@secret.command()
@click.argument("client_id")
@click.argument("secret_id")
@quiet_option("Print nothing.")
def revoke(client_id: str, secret_id: str, quiet: bool) -> None:
    """Revoke a secret at once; tokens got with it end when they expire."""
    with open_service() as service:
        Directory(service).revoke_secret(client_id, secret_id)
    if not quiet:
        click.echo(f"Secret {secret_id}: revoked.")


def print_secrets(secrets: Iterable[Secret]) -> None:
    """A table of secrets."""
    print_table(
        ["Secret id", "Name", "Hint", "Expires (UTC)"],
        [[item.id, item.name, f"{item.hint}…", when(item.expires_at)] for item in secrets],
        fold=("Name",),
    )
