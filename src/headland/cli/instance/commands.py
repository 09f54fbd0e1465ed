"""`headland instance list`, `show`, `update`, `check-name` and `delete`."""

import click

from headland.cli.control.manager import FARM_BEATS, PROVIDER, Manager
from headland.cli.control.options import shown_tags, subscription_option, tag_option
from headland.cli.errors import CliError, not_found
from headland.cli.instance.records import group_of, print_instance, state_of
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.surroundings import open_service

_group = click.option("--group", required=True, help="Resource group.")


@click.command("list")
@click.option("--group", help="Only those of this resource group.")
@subscription_option
@json_option
def list_instances(group: str | None, subscription: str | None, as_json: bool) -> None:
    """List instances."""
    with open_service() as service:
        manager = Manager(service, subscription)
        above = manager.group(group) if group else manager.subscription
        found = list(manager.pages(f"{above}/providers/{FARM_BEATS}", {"$maxPageSize": "1000"}))
    if as_json:
        print_json({"value": found})
        return
    print_table(
        ["Name", "Group", "Region", "State", "Instance URI", "Tags"],
        [
            [
                item["name"],
                group_of(item),
                item["location"],
                state_of(item),
                item["properties"]["instanceUri"],
                shown_tags(item.get("tags")),
            ]
            for item in found
        ],
        fold=("Tags",),
    )


@click.command()
@click.argument("name")
@_group
@subscription_option
@json_option
def show(name: str, group: str, subscription: str | None, as_json: bool) -> None:
    """Show one instance."""
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document("GET", manager.instance(group, name), missing=_missing(name, group))
    if as_json:
        print_json(document)
    else:
        print_instance(document)


@click.command()
@click.argument("name")
@_group
@tag_option
@subscription_option
@json_option
@quiet_option("Print nothing.")
def update(
    *, name: str, group: str, tags: dict[str, str], subscription: str | None, as_json: bool, quiet: bool
) -> None:
    """Change an instance's tags: it has those that are given, and no others."""
    with open_service() as service:
        manager = Manager(service, subscription)
        path = manager.instance(group, name)
        document = manager.document("PATCH", path, body={"tags": tags}, missing=_missing(name, group))
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Instance {document['name']}: {shown_tags(document.get('tags')) or 'no tags'}.")


@click.command("check-name")
@click.argument("name")
@subscription_option
@json_option
def check_name(name: str, subscription: str | None, as_json: bool) -> None:
    """Ask whether a name is free. Ends with 1 where it is not."""
    with open_service() as service:
        manager = Manager(service, subscription)
        document = manager.document(
            "POST",
            f"{manager.subscription}/providers/{PROVIDER}/checkNameAvailability",
            body={"name": name, "type": FARM_BEATS},
        )
    if as_json:
        print_json(document)
    elif document["nameAvailable"]:
        click.echo(f"{name}: free.")
    if not document["nameAvailable"]:
        raise CliError(str(document["message"]), "choose another name")


@click.command()
@click.argument("name")
@_group
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@subscription_option
@quiet_option("Print nothing.")
def delete(name: str, group: str, yes: bool, subscription: str | None, quiet: bool) -> None:
    """Delete an instance with all its data."""
    with open_service() as service:
        manager = Manager(service, subscription)
        if not yes:
            click.confirm(f"Delete instance {name} with all its data?", abort=True)
        answer = manager.call("DELETE", manager.instance(group, name))
    if answer.status_code == 204:
        raise _missing(name, group)
    if not quiet:
        click.echo(f"Instance {name}: deleted.")


def _missing(name: str, group: str) -> CliError:
    return not_found(f"instance '{name}' in group '{group}'", "instance list")
