"""`headland serve` and what else works on the home itself rather than over HTTP."""

import gc
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click
import structlog

from headland.database import Database, DatabaseUnavailableError
from headland.identity import FirstAdministrator, NotAdministratorError, reset_administrator
from headland.server.deployment import database_url
from headland.server.logging import configure_logging
from headland.server.ports import PortError, check_port
from headland.server.prepare import PreparationError, Prepared, prepare, use_home
from headland.settings import Home, SettingsError, http_authority, load_settings

_home = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that holds all state; else HEADLAND_HOME, else the platform's data folder.",
)
_PORT = click.IntRange(1, 65535)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


class ServerCommandError(click.ClickException):
    """One clear line, and exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"headland: {self.message}", err=file is None, file=file)


def _setting(option: str, name: str, **terms: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option that stands for the setting `server.<name>`: as its variable, which the processes inherit."""

    def give(_context: click.Context, _option: click.Parameter, value: object) -> None:
        if value is not None:
            os.environ[f"HEADLAND_SERVER_{name.upper()}"] = str(value)

    return click.option(
        option,
        expose_value=False,
        callback=give,
        help=f"For this start in the place of the setting server.{name}.",
        **terms,
    )


@click.command()
@_home
@_setting("--host", "host")
@_setting("--port", "port", type=_PORT)
@_setting("--private-host", "private_host")
@_setting("--private-port", "private_port", type=_PORT)
@_json
def serve(home: Path | None, as_json: bool) -> None:
    """Start Headland on this machine and serve until SIGTERM or Ctrl-C.

    The first start makes the home with everything in it, and prints the secret of the first administrator:
    once, here. Batches that run when the service stops go on, and are picked up by the next start.
    """
    chosen = _chosen(home)
    # What is there when the processes start stays: nobody looks through it, now or later, and they go on sharing it.
    gc.disable()
    from headland.server.supervisor import StartError, Supervisor, targets_of  # noqa: PLC0415 - heavy, after _chosen

    try:
        prepared = prepare(chosen)
        configure_logging(prepared.settings.log)
        server = prepared.settings.server
        check_port("server.port", server.host, server.port)
        check_port("server.private_port", server.private_host, server.private_port)
        _warn_of_openness(prepared)
        if prepared.administrator is not None:
            _show_administrator(prepared.administrator, as_json=as_json)
        if prepared.subscription is not None:
            _show_subscription(prepared.subscription, as_json=as_json)
        gc.freeze()
        # What a request makes goes with the request. To look for circles after 700 objects, as Python does if nothing
        # is said, takes a twentieth of an import's time and finds none.
        gc.set_threshold(20_000)
        gc.enable()
        Supervisor(prepared, targets_of(prepared)).run(lambda: _show_ready(prepared, as_json=as_json))
    except (PreparationError, PortError, StartError) as error:
        raise ServerCommandError(str(error)) from None


@click.command(name="reset-administrator")
@click.argument("client_id", required=False)
@_home
@_json
def reset(client_id: str | None, home: Path | None, as_json: bool) -> None:
    """Give an administrator application a further secret, on the machine that holds the home.

    For an operator who has lost the secret that the first start printed. Without CLIENT_ID it is the oldest
    administrator that gets one.
    """
    chosen = _chosen(home)
    try:
        settings = load_settings(chosen)
        if settings.database.url is None and not chosen.database.exists():
            raise ServerCommandError(f"there is no Headland at {chosen.path}; 'headland serve' makes one")
        database = Database(database_url(chosen, settings), settings.database.busy_timeout)
        at = time.time_ns() // 1_000_000
        administrator = database.write_and_wait(
            lambda connection: reset_administrator(connection, settings, at, client_id)
        )
    except NotAdministratorError:
        raise ServerCommandError(f"{client_id or 'nobody'} is no enabled administrator application") from None
    except (SettingsError, DatabaseUnavailableError) as error:
        raise ServerCommandError(str(error)) from None
    _show_administrator(administrator, as_json=as_json)


def _chosen(home: Path | None) -> Home:
    chosen = Home(home.expanduser().absolute()) if home else Home.default()
    use_home(chosen)
    # Whatever this process and those that it starts write is for their user alone, unless it says otherwise.
    os.umask(0o077)
    return chosen


def _show_administrator(administrator: FirstAdministrator, *, as_json: bool) -> None:
    shown = {
        "name": administrator.name,
        "clientId": administrator.client_id,
        "tenantId": administrator.tenant_id,
        "clientSecret": administrator.secret,
    }
    if as_json:
        click.echo(json.dumps({"administrator": shown}))
        return
    click.echo("The administrator application. Its secret is shown this once; keep it:\n")
    click.echo(f"  App Name                 {shown['name']}")
    click.echo(f"  Application (client) ID  {shown['clientId']}")
    click.echo(f"  Directory (tenant) ID    {shown['tenantId']}")
    click.echo(f"  Client secret            {shown['clientSecret']}\n")


def _show_subscription(subscription: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"subscription": {"subscriptionId": subscription}}))
        return
    click.echo(f"The subscription {subscription} is made, and the\nadministrator owns everything.")
    click.echo(
        "By starting Headland you accept its terms for it: `headland subscription terms`\nprints them.\n"
    )


def _show_ready(prepared: Prepared, *, as_json: bool) -> None:
    server = prepared.settings.server
    private = f"http://{http_authority(server.private_host, server.private_port)}"
    own_certificate = prepared.settings.tls.certificate is not None
    ca = None if own_certificate else str(prepared.home.ca_certificate)
    if as_json:
        click.echo(json.dumps({"ready": {"publicUrl": server.public_url, "privateUrl": private, "ca": ca}}))
        return
    click.echo(f"Headland serves {server.public_url} (jobs under /livy)\nand {private} (private network).")
    click.echo(f"Home: {prepared.home.path}" + (f"\nCA to trust: {ca}" if ca else ""))
    if "portal" in server.services:
        click.echo(f"Portal: {server.public_url}/portal/   `headland person add` says who may sign in.")
    click.echo("Stop with Ctrl-C; batches go on.")


def _warn_of_openness(prepared: Prepared) -> None:
    server = prepared.settings.server
    log = structlog.get_logger("headland.server")
    if os.geteuid() == 0:
        log.warning(
            "server.root", reason="run Headland as a user of its own: whoever breaks out of it is root here"
        )
    for reason in prepared.opened:
        log.warning("home.open", reason=reason)
    if prepared.certificate.new_authority and prepared.administrator is None:
        log.warning(
            "tls.new_authority",
            reason="the names of this deployment have changed, or the local CA was about to end: have clients trust "
            "the new one",
            ca=str(prepared.home.ca_certificate),
        )
    loopback = server.private_host in {"127.0.0.1", "::1", "localhost"}
    if server.private_authentication == "none" and not loopback:
        log.warning(
            "server.open",
            setting="server.private_authentication",
            reason="everybody who reaches the private listener may run programs on this machine",
            address=http_authority(server.private_host, server.private_port),
        )
