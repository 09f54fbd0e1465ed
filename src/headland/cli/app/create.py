"""`headland app create`."""

import click

from headland.cli.app.directory import Application, Directory, shown_once
from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.options import json_option
from headland.cli.output import print_json, print_record
from headland.cli.surroundings import open_service

ONCE = "The secret is shown this once: keep it now."


@click.command()
@click.argument("name")
@click.option("--administrator", is_flag=True, help="Let it manage applications and see every batch.")
@click.option("--secret-days", type=click.IntRange(min=1), metavar="N", help="Days its secret is valid for.")
@json_option
def create(name: str, administrator: bool, secret_days: int | None, as_json: bool) -> None:
    """Register an application and make its first secret.

    With --json: {"application": …, "secret": …}, each as the service answered it.
    """
    with open_service() as service:
        directory = Directory(service)
        application = directory.create(name, administrator=administrator)
        client_id = view(application, Application).client_id
        try:
            secret = directory.add_secret(client_id, None, secret_days)
        except CliError as error:
            raise CliError(
                f"application {client_id} was registered, but has no secret yet: {error.problem}",
                f"`headland app secret add {client_id}` makes one",
                error.code,
            ) from None
    if as_json:
        print_json({"application": application, "secret": secret})
    else:
        print_record(shown_once(secret, name))
        click.echo(f"\n{ONCE}")
