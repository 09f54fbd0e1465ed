"""`headland batch list`, `show`, `kill` and `delete`."""

from functools import partial
from typing import Any

import click

from headland.cli.batch.jobs import ENDS, Jobs
from headland.cli.documents import view
from headland.cli.livy import Job, print_job
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.pages import Page, everything, listed, tell_of_others
from headland.cli.surroundings import open_service


@click.command("list")
@click.option(
    "--from", "start", type=click.IntRange(min=0), help="Number of the first; else the newest are shown."
)
@click.option("--size", type=click.IntRange(min=1), default=20, show_default=True, help="How many to show.")
@click.option("--all", "wants_all", is_flag=True, help="Show all of them.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(["starting", "running", *ENDS]),
    help="Only those in this state; repeatable.",
)
@click.option("--owner", metavar="CLIENT_ID", help="Only those that this application submitted.")
@click.option("--name", help="Only those of this name.")
@click.option("--newest-first", is_flag=True, help="Begin with the newest.")
@json_option
def list_batches(
    *,
    start: int | None,
    size: int,
    wants_all: bool,
    states: tuple[str, ...],
    owner: str | None,
    name: str | None,
    newest_first: bool,
    as_json: bool,
) -> None:
    """List batches, oldest first."""
    order = "desc" if newest_first else None
    wanted: dict[str, Any] = {
        "order": order,
        "state": ",".join(states) or None,
        "owner": owner,
        "name": name,
    }
    with open_service() as service:
        ask = partial(Jobs(service).page, **wanted)
        newest_last = not newest_first
        document = everything(ask) if wants_all else listed(ask, start, size, newest_last=newest_last)
    if as_json:
        print_json(document)
        return
    page = view(document, Page)
    batches = [view(item, Job) for item in page.sessions]
    print_table(
        ["Id", "Name", "State", "Owner", "Application"],
        [[batch.id, batch.name, batch.state, batch.owner, batch.app_id] for batch in batches],
        fold=("Name",),
    )
    tell_of_others(page)


@click.command()
@click.argument("batch_id", metavar="ID")
@json_option
def show(batch_id: str, as_json: bool) -> None:
    """Show one batch."""
    with open_service() as service:
        document = Jobs(service).batch(batch_id)
    if as_json:
        print_json(document)
        return
    print_job(view(document, Job))


@click.command()
@click.argument("batch_id", metavar="ID")
@json_option
@quiet_option("Print nothing.")
def kill(batch_id: str, as_json: bool, quiet: bool) -> None:
    """Stop a batch and keep its record."""
    with open_service() as service:
        document = Jobs(service).kill(batch_id)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Batch {batch_id}: killed.")


@click.command()
@click.argument("batch_id", metavar="ID")
@json_option
@quiet_option("Print nothing.")
def delete(batch_id: str, as_json: bool, quiet: bool) -> None:
    """Stop a batch if it runs, and remove it."""
    with open_service() as service:
        document = Jobs(service).delete(batch_id)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Batch {batch_id}: deleted.")
