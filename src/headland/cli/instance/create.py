"""`headland instance create`."""

import contextlib
from collections.abc import Iterator
from typing import Any

import click

from headland.cli.control.manager import PROVIDER, Manager
from headland.cli.control.options import shown_tags, subscription_option, tag_option
from headland.cli.control.waiting import wait_for
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.instance.records import print_instance, state_of
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record
from headland.cli.subscription.terms import accept, agreement
from headland.cli.surroundings import open_service


@click.command()
@click.argument("name")
@click.option("--group", required=True, help="Resource group.")
@click.option("--location", required=True, metavar="REGION", help="Such as westeurope.")
@click.option("--create-group", is_flag=True, help="Make the group if it is not there.")
@click.option("--accept-terms", is_flag=True, help="Accept the terms for the subscription.")
@click.option("--yes", "-y", is_flag=True, help="Create without asking.")
@click.option("--no-wait", is_flag=True, help="Do not wait until it is deployed.")
@tag_option
@subscription_option
@json_option
@quiet_option("Print nothing.")
def create(
    *,
    name: str,
    group: str,
    location: str,
    create_group: bool,
    accept_terms: bool,
    yes: bool,
    no_wait: bool,
    tags: dict[str, str],
    subscription: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Review and make an instance.

    The provider is registered in the subscription, if it is not. What will be made is shown first, and made when
    you say yes. Terms that the subscription has not accepted are asked for, too. Scripts say --accept-terms --yes.
    """
    with open_service() as service:
        manager = Manager(service, subscription)
        if create_group:
            manager.call("PUT", manager.group(group), body={"location": location})
        body = {"location": location, "tags": tags}
        path = manager.instance(group, name)
        _register(manager)
        _accept(manager, accept_terms=accept_terms)
        review = manager.document("POST", f"{path}/validate", body=body)
        if not yes:
            _show(manager, review, group)
            click.confirm(
                "Create it?" if not review["exists"] else "It is there already. Update it?", abort=True
            )
        document = manager.document("PUT", path, body=body)
        if not no_wait:
            document = wait_for(
                lambda: manager.document("GET", path),
                lambda found: state_of(found) != "Creating",
                "deploying",
            )
        if state_of(document) == "Failed":
            raise _failure(manager, path, name)
    if as_json:
        print_json(document)
    elif not quiet:
        print_instance(document)


@contextlib.contextmanager
def _unless_denied() -> Iterator[None]:
    """Who may make an instance may not be one who may look after its subscription, too. Then the service has the last
    word, and its refusal names the command for those who may.
    """
    try:
        yield
    except CliError as error:
        if error.code is not ExitCode.DENIED:
            raise


def _register(manager: Manager) -> None:
    """Register the provider, if nobody has."""
    provider = f"{manager.subscription}/providers/{PROVIDER}"
    with _unless_denied():
        if manager.document("GET", provider)["registrationState"] != "Registered":
            manager.call("POST", f"{provider}/register")


def _accept(manager: Manager, *, accept_terms: bool) -> None:
    with _unless_denied():
        terms = agreement(manager)
        if terms["properties"]["accepted"]:
            return
        if not accept_terms:
            click.echo(manager.document("GET", "/control/terms")["text"])
            click.confirm("Do you accept these terms for the subscription?", abort=True)
        accept(manager, terms)


def _show(manager: Manager, review: dict[str, Any], group: str) -> None:
    print_record(
        {
            "Subscription ID": manager.subscription.rpartition("/")[2],
            "Resource Group": group,
            "Instance Name": review["name"],
            "Region": review["location"],
            "Tags": shown_tags(review["tags"]),
            "Instance URI": review["instanceUri"],
            "Terms": f"version {review['termsVersion']}, accepted",
        }
    )


def _failure(manager: Manager, path: str, name: str) -> CliError:
    result = manager.document("GET", f"{path}/operationResults/resource-provisioning-id-{name}")
    reason = (result.get("error") or {}).get("message", "no reason is known")
    return CliError(f"instance {name} could not be deployed: {reason}", "the same command tries again")
