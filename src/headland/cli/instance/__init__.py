"""`headland instance`: manage instances of the agriculture service."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "create": ("headland.cli.instance.create:create", "Review and make an instance."),
    "list": ("headland.cli.instance.commands:list_instances", "List instances."),
    "show": ("headland.cli.instance.commands:show", "Show one instance."),
    "update": ("headland.cli.instance.commands:update", "Change an instance's tags."),
    "check-name": ("headland.cli.instance.commands:check_name", "Ask whether a name is free."),
    "delete": ("headland.cli.instance.commands:delete", "Delete an instance with all its data."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def instance() -> None:
    """Manage instances of the agriculture service."""
