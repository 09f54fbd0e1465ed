"""`headland group create`, `list`, `show`, `resources` and `delete`."""

import click

from headland.cli.control.manager import FARM_BEATS, Manager
from headland.cli.control.options import shown_tags, subscription_option, tag_option
from headland.cli.control.waiting import wait_for
from headland.cli.errors import CliError, not_found
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table
from headland.cli.surroundings import open_service

#: Types that are shown only to those who ask for them: programs make them, and people seldom look for them.
HIDDEN = frozenset({FARM_BEATS.lower()})


@click.command()
@click.argument("name")
@click.option("--location", required=True, metavar="REGION", help="Such as westeurope.")
@tag_option
@subscription_option
@json_option
@quiet_option("Print nothing.")
def create(
    *, name: str, location: str, tags: dict[str, str], subscription: str | None, as_json: bool, quiet: bool
) -> None:
    """Make a group, or change its tags."""
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document("PUT", manager.group(name), body={"location": location, "tags": tags})
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Group {document['name']}: {document['properties']['provisioningState']}.")


@click.command("list")
@subscription_option
@json_option
def list_groups(subscription: str | None, as_json: bool) -> None:
    """List groups."""
    with open_service() as service:
        manager = Manager(service, subscription)
        found = list(manager.pages(f"{manager.subscription}/resourcegroups"))
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Name", "Location", "State", "Tags"],
        [
            [
                item["name"],
                item["location"],
                item["properties"]["provisioningState"],
                shown_tags(item.get("tags")),
            ]
            for item in found
        ],
        fold=("Tags",),
    )


@click.command()
@click.argument("name")
@subscription_option
@json_option
def show(name: str, subscription: str | None, as_json: bool) -> None:
    """Show one group."""
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document("GET", manager.group(name), missing=_missing(name))
    if as_json:
        print_json(document)
        return
    print_record(
        {
            "Name": document["name"],
            "ID": document["id"],
            "Location": document["location"],
            "State": document["properties"]["provisioningState"],
            "Tags": shown_tags(document.get("tags")),
        }
    )


@click.command()
@click.argument("name")
@click.option("--show-hidden-types", is_flag=True, help="List instances, too: their type is a hidden one.")
@subscription_option
@json_option
def resources(name: str, show_hidden_types: bool, subscription: str | None, as_json: bool) -> None:
    """List what is in a group."""
    with open_service() as service:
        manager = Manager(service, subscription)
        manager.document("GET", manager.group(name), missing=_missing(name))
        everything = list(manager.pages(f"{manager.group(name)}/resources"))
    found = [item for item in everything if show_hidden_types or item["type"].lower() not in HIDDEN]
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Name", "Type", "Location", "Tags"],
        [[item["name"], item["type"], item["location"], shown_tags(item.get("tags"))] for item in found],
        fold=("Tags",),
    )
    if hidden := len(everything) - len(found):
        click.echo(f"headland: {hidden} of hidden types; --show-hidden-types shows them", err=True)


@click.command()
@click.argument("name")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@subscription_option
@quiet_option("Print nothing.")
def delete(name: str, yes: bool, subscription: str | None, quiet: bool) -> None:
    """Delete a group with everything in it, and wait until it is gone."""
    with open_service() as service:
        manager = Manager(service, subscription)
        path = manager.group(name)
        inside = list(manager.pages(f"{path}/resources"))
        if not yes:
            click.confirm(f"Delete group {name} with {len(inside)} resources and all their data?", abort=True)
        answer = manager.call("DELETE", path, missing=_missing(name))
        result = answer.headers["location"].removeprefix(service.profile.url).partition("?")[0]
        wait_for(
            lambda: manager.call("GET", result).status_code, lambda status: status != 202, "the deletion"
        )
    if not quiet:
        click.echo(f"Group {name}: deleted.")


def _missing(name: str) -> CliError:
    return not_found(f"group '{name}'", "group list")
