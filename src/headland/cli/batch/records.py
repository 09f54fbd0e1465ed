"""`headland batch list`, `show`, `kill` and `delete`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from headland.cli.batch.jobs import ENDS, Batch, BatchPage, Jobs
from headland.cli.documents import view
from headland.cli.options import json_option, quiet_option
from headland.cli.output import plain, print_json, print_record, print_table
from headland.cli.surroundings import open_service

#: Batches asked for at once.
PAGE = 100

#: Asks for so many batches from a number on.
_Page = Callable[[int, int], dict[str, Any]]

_LINKS = {
    "driverLogUrl": "Driver log",
    "sparkUiUrl": "Spark UI",
    "executorLogUrls": "Executor logs",
}


@click.command("list")
@click.option(
    "--from", "start", type=click.IntRange(min=0), help="Number of the first; else the newest are shown."
)
@click.option("--size", type=click.IntRange(min=1), default=20, show_default=True, help="How many to show.")
@click.option("--all", "everything", is_flag=True, help="Show all of them.")
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
    everything: bool,
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
        document = _all(ask) if everything else _page(ask, start, size, newest_last=not newest_first)
    if as_json:
        print_json(document)
        return
    page = view(document, BatchPage)
    batches = [view(item, Batch) for item in page.sessions]
    print_table(
        ["Id", "Name", "State", "Owner", "Application"],
        [[batch.id, batch.name, batch.state, batch.owner, batch.app_id] for batch in batches],
        fold=("Name", "Owner", "Application"),
    )
    if len(batches) < page.total:
        first, last = page.start + 1, page.start + len(batches)
        click.echo(f"{first} to {last} of {page.total}; --from, --size and --all show others.", err=True)


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
    batch = view(document, Batch)
    print_record(
        {
            "Id": batch.id,
            "Name": batch.name,
            "State": batch.state,
            "Owner": batch.owner,
            "Proxy user": batch.proxy_user,
            "Application": batch.app_id,
            **{_LINKS.get(name, name): value for name, value in (batch.app_info or {}).items()},
        }
    )
    if batch.log:
        click.echo("\nEnd of the log:")
        for line in batch.log:
            click.echo(f"  {plain(line.strip())}")


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


def _page(ask: _Page, start: int | None, size: int, *, newest_last: bool) -> dict[str, Any]:
    document = ask(start or 0, size)
    if newest_last and start is None and (total := view(document, BatchPage).total) > size:
        document = ask(total - size, size)
    return document


def _all(ask: _Page) -> dict[str, Any]:
    """One document as if the service had no pages. Batches deleted meanwhile must not make one appear twice."""
    found: dict[Any, dict[str, Any]] = {}
    start = 0
    while True:
        page = view(ask(start, PAGE), BatchPage)
        found.update((item.get("id"), item) for item in page.sessions)
        start += len(page.sessions)
        if not page.sessions or start >= page.total:
            return {"from": 0, "total": len(found), "sessions": list(found.values())}
