"""`headland login` and `headland logout`."""

import sys
from pathlib import Path

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.profile import (
    Profile,
    checked_url,
    default_url,
    forget_profile,
    require_public,
    store_profile,
)
from headland.cli.surroundings import open_service
from headland.cli.token_cache import TokenCache


@click.command()
@click.option(
    "--url",
    envvar="HEADLAND_URL",
    default=default_url,
    show_default="of the service on this machine",
    help="The public base.",
)
@click.option("--tenant", envvar="HEADLAND_TENANT", required=True, help="Directory (tenant) ID or name.")
@click.option("--client-id", envvar="HEADLAND_CLIENT_ID", required=True, help="Application (client) ID.")
@click.option(
    "--client-secret",
    envvar="HEADLAND_CLIENT_SECRET",
    help="Client secret; `-` reads it from standard input, and without the option you are asked.",
)
@click.option(
    "--ca",
    envvar="HEADLAND_CA",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="PEM file of the CA that issued the service's certificate.",
)
def login(url: str, tenant: str, client_id: str, client_secret: str | None, ca: Path | None) -> None:
    """Prove credentials and keep them for the other commands."""
    address = checked_url(url)
    require_public(Profile(address), "tokens")
    profile = Profile(address, tenant, client_id, _secret(client_secret), ca)
    with open_service(profile) as service:
        service.tokens.fetch()
    path = store_profile(profile)
    click.echo(f"Logged in to {address} as {client_id}; the profile is in {path}.")


@click.command()
def logout() -> None:
    """Forget the kept credentials and every cached token."""
    had_one = forget_profile()
    TokenCache().clear()
    click.echo("Logged out." if had_one else "Nobody was logged in.")


def _secret(given: str | None) -> str:
    if given == "-":
        given = sys.stdin.readline().strip()
    elif given is None:
        if not asks_people():
            raise CliError(
                "there is no terminal on which to ask for the secret",
                "pipe it in with `--client-secret -`",
                ExitCode.USAGE,
            )
        given = str(click.prompt("Client secret", hide_input=True, err=True)).strip()
    if not given:
        raise CliError("the client secret is empty", "pipe it in or type it", ExitCode.USAGE)
    return given


def asks_people() -> bool:
    """Whether somebody can answer a question."""
    return sys.stdin.isatty()
