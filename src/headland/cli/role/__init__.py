"""`headland role`: who may do what."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "definitions": ("headland.cli.role.commands:definitions", "List the roles that there are."),
    "assign": ("headland.cli.role.commands:assign", "Give an application a role."),
    "list": ("headland.cli.role.commands:list_assignments", "List role assignments."),
    "remove": ("headland.cli.role.commands:remove", "Take a role from an application, at once."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def role() -> None:
    """Say who may do what.

    A role holds in a scope: an instance (--group and --instance), a group (--group), or without either the
    subscription; --scope names any other, such as /.
    """
