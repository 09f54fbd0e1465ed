"""`headland token`."""

import click

from headland.cli.options import json_option
from headland.cli.output import print_json
from headland.cli.surroundings import open_service


@click.command()
@click.option("--scope", metavar="SCOPE", help="Scope, which ends in `/.default`; else the deployment's own.")
@click.option("--resource", metavar="RESOURCE", help="Resource: asks the older endpoint (v1).")
@json_option
def token(scope: str | None, resource: str | None, as_json: bool) -> None:
    """Print an access token, for curl and other clients."""
    if scope and resource:
        raise click.UsageError("Give --scope or --resource, not both.")
    with open_service() as service:
        if resource:
            answer = service.tokens.fetch_for_resource(resource)
        elif as_json:
            # A cached token's remaining life is not what `expires_in` said, so this one is always new.
            answer = service.tokens.fetch(scope)
        else:
            answer = {"access_token": service.tokens.token(scope)}
    if as_json:
        print_json(answer)
    else:
        click.echo(answer["access_token"])
