"""`headland batch log`."""

from collections.abc import Iterator
from typing import Any

import click

from headland.cli.batch.following import PAGE, follow_log
from headland.cli.batch.jobs import Jobs, LogPage
from headland.cli.documents import view
from headland.cli.options import json_option
from headland.cli.output import print_json
from headland.cli.surroundings import open_service


@click.command()
@click.argument("batch_id", metavar="ID")
@click.option("--follow", "-f", is_flag=True, help="Go on until the batch has ended.")
@click.option("--from", "start", type=click.IntRange(min=0), help="Number of the first line; else 0.")
@click.option("--size", type=click.IntRange(min=0), help="How many lines at most; else all.")
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Begin with the last N lines.")
@json_option
def log(
    *, batch_id: str, follow: bool, start: int | None, size: int | None, tail: int | None, as_json: bool
) -> None:
    """Print a batch's log."""
    if tail is not None and (start is not None or size is not None):
        raise click.UsageError("Give --tail or --from and --size, not both.")
    if follow and (as_json or size is not None):
        raise click.UsageError("--follow goes with neither --json nor --size.")
    with open_service() as service:
        jobs = Jobs(service)
        if tail is not None:
            # How many lines there are now decides, not how many there are later.
            total = view(jobs.log(batch_id, None, 0), LogPage).total
            start, size = max(0, total - tail), None if follow else min(tail, total)
        if follow:
            follow_log(jobs, batch_id, start or 0, print_line)
        elif as_json:
            print_json(_collected(jobs, batch_id, start or 0, size))
        else:
            for page in _pages(jobs, batch_id, start or 0, size):
                for line in page["log"]:
                    print_line(line)


def print_line(line: str) -> None:
    """A line as the program wrote it: what colours it has are its own."""
    click.echo(line, color=True)


def _pages(jobs: Jobs, id_: str, start: int, size: int | None) -> Iterator[dict[str, Any]]:
    """What there is now: a log that grows faster than it is read would otherwise never end."""
    end = None if size is None else start + size
    while True:
        document = jobs.log(id_, start, PAGE if end is None else min(PAGE, end - start))
        page = view(document, LogPage)
        yield document
        start += len(page.log)
        end = page.total if end is None else min(end, page.total)
        if not page.log or start >= end:
            return


def _collected(jobs: Jobs, id_: str, start: int, size: int | None) -> dict[str, Any]:
    documents = list(_pages(jobs, id_, start, size))
    return {**documents[0], "log": [line for document in documents for line in document["log"]]}
