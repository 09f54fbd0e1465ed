"""`headland batch`: submit Spark applications and look after them."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "submit": ("headland.cli.batch.submit:submit", "Submit an application archive or a Python program."),
    "list": ("headland.cli.batch.records:list_batches", "List batches, oldest first."),
    "show": ("headland.cli.batch.records:show", "Show one batch."),
    "log": ("headland.cli.batch.log:log", "Print a batch's log."),
    "wait": ("headland.cli.batch.wait:wait", "Wait until a batch has ended."),
    "kill": ("headland.cli.batch.records:kill", "Stop a batch and keep its record."),
    "delete": ("headland.cli.batch.records:delete", "Stop a batch if it runs, and remove it."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def batch() -> None:
    """Submit Spark applications and look after them."""
