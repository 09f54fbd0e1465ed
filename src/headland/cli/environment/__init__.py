"""`headland environment`: named Python environments for batches and sessions."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "create": ("headland.cli.environment.commands:create", "Make an environment of a requirements file."),
    "list": ("headland.cli.environment.commands:list_environments", "List environments."),
    "show": ("headland.cli.environment.commands:show", "Show an environment and its packages."),
    "log": ("headland.cli.environment.commands:log", "Print what an environment's build has said."),
    "remove": ("headland.cli.environment.commands:remove", "Remove an environment."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def environment() -> None:
    """Make named Python environments for batches and sessions."""
