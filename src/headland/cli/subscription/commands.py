"""`headland subscription list` and `remove`."""

from urllib.parse import quote

import click

from headland.cli.control.manager import Manager
from headland.cli.errors import not_found
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.surroundings import open_service


@click.command("list")
@json_option
def list_subscriptions(as_json: bool) -> None:
    """List subscriptions open to you."""
    with open_service() as service:
        found = list(Manager(service).pages("/subscriptions"))
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Subscription ID", "Name", "State"],
        [[item["subscriptionId"], item["displayName"], item["state"]] for item in found],
        fold=("Name",),
    )


@click.command()
@click.argument("subscription_id")
@quiet_option("Print nothing.")
def remove(subscription_id: str, quiet: bool) -> None:
    """Take a subscription off the allow list, if there are no groups in it any more."""
    missing = not_found(f"subscription '{subscription_id}'", "subscription list")
    with open_service() as service:
        path = f"/control/subscriptions/{quote(subscription_id, safe='')}"
        Manager(service).call("DELETE", path, missing=missing)
    if not quiet:
        click.echo(f"Subscription {subscription_id}: removed.")
