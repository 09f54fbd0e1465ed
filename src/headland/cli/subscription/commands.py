"""`headland subscription list`."""

import click

from headland.cli.control.manager import Manager
from headland.cli.options import json_option
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
