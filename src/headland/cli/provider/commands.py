"""`headland provider list`, `show`, `register` and `unregister`."""

import click

from headland.cli.control.manager import PROVIDER, Manager
from headland.cli.control.options import subscription_option
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.surroundings import open_service

_namespace = click.argument("namespace", default=PROVIDER)


@click.command("list")
@subscription_option
@json_option
def list_providers(subscription: str | None, as_json: bool) -> None:
    """List resource providers."""
    with open_service() as service:
        manager = Manager(service, subscription)
        found = list(manager.pages(f"{manager.subscription}/providers"))
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Namespace", "State", "Policy"],
        [[item["namespace"], item["registrationState"], item["registrationPolicy"]] for item in found],
    )


@click.command()
@_namespace
@subscription_option
@json_option
def show(namespace: str, subscription: str | None, as_json: bool) -> None:
    """Show one provider and its types."""
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document("GET", f"{manager.subscription}/providers/{namespace}")
    if as_json:
        print_json(document)
        return
    click.echo(f"{document['namespace']}: {document['registrationState']}\n")
    print_table(
        ["Type", "Newest version", "Regions"],
        [
            [item["resourceType"], item["defaultApiVersion"], ", ".join(item["locations"])]
            for item in document["resourceTypes"]
        ],
        fold=("Regions",),
    )


@click.command()
@_namespace
@subscription_option
@quiet_option("Print nothing.")
def register(namespace: str, subscription: str | None, quiet: bool) -> None:
    """Register a provider in the subscription."""
    _change(namespace, "register", subscription, quiet=quiet)


@click.command()
@_namespace
@subscription_option
@quiet_option("Print nothing.")
def unregister(namespace: str, subscription: str | None, quiet: bool) -> None:
    """Take back a registration; the subscription has no instances any more."""
    _change(namespace, "unregister", subscription, quiet=quiet)


def _change(namespace: str, verb: str, subscription: str | None, *, quiet: bool) -> None:
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document("POST", f"{manager.subscription}/providers/{namespace}/{verb}")
    if not quiet:
        click.echo(f"{document['namespace']}: {document['registrationState']}.")
