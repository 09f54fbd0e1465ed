"""`headland group`: manage resource groups."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "create": ("headland.cli.group.commands:create", "Make a group, or change its tags."),
    "list": ("headland.cli.group.commands:list_groups", "List groups."),
    "show": ("headland.cli.group.commands:show", "Show one group."),
    "resources": ("headland.cli.group.commands:resources", "List what is in a group."),
    "delete": ("headland.cli.group.commands:delete", "Delete a group with everything in it."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """Manage resource groups.

    Instances live in one.
    """
