"""`headland subscription terms` and `accept-terms`, and accepting them on the way to an instance."""

from typing import Any

import click

from headland.cli.control.manager import Manager
from headland.cli.control.options import subscription_option
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.surroundings import open_service

_AGREEMENT = (
    "/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/headland/offers/farmbeats"
    "/plans/terms/agreements/current"
)


@click.command("terms")
@json_option
def show_terms(as_json: bool) -> None:
    """Print the terms in force."""
    with open_service() as service:
        document = Manager(service).document("GET", "/control/terms")
    if as_json:
        print_json(document)
    else:
        click.echo(f"{document['text']}\nVersion {document['version']}")


@click.command("accept-terms")
@click.option("--yes", "-y", is_flag=True, help="Do not show them and do not ask.")
@subscription_option
@quiet_option("Print nothing.")
def accept_terms(yes: bool, subscription: str | None, quiet: bool) -> None:
    """Accept the terms for a subscription."""
    with open_service() as service:
        manager = Manager(service, subscription)
        found = agreement(manager)
        if not yes:
            click.echo(manager.document("GET", "/control/terms")["text"])
            click.confirm("Do you accept these terms for the subscription?", abort=True)
        accept(manager, found)
    if not quiet:
        click.echo(f"Terms {found['properties']['signature']}: accepted.")


def agreement(manager: Manager) -> dict[str, Any]:
    """The terms, and whether the subscription has accepted them."""
    return manager.document("GET", f"{manager.subscription}{_AGREEMENT}")


def accept(manager: Manager, found: dict[str, Any]) -> None:
    """Accept those that were read, and no later ones."""
    properties = {"accepted": True, "signature": found["properties"]["signature"]}
    manager.call("PUT", f"{manager.subscription}{_AGREEMENT}", body={"properties": properties})
