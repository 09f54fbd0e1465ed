"""`headland batch log`."""

from functools import partial

import click

from headland.cli.batch.following import follow_log
from headland.cli.batch.jobs import Jobs
from headland.cli.documents import view
from headland.cli.log_pages import LogPage, log_pages, print_line, whole_log
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
        ask = partial(jobs.log, batch_id)
        if tail is not None:
            # How many lines there are now decides, not how many there are later.
            total = view(jobs.log(batch_id, None, 0), LogPage).total
            start, size = max(0, total - tail), None if follow else min(tail, total)
        if follow:
            follow_log(jobs, batch_id, start or 0, print_line)
        elif as_json:
            print_json(whole_log(ask, start or 0, size))
        else:
            for page in log_pages(ask, start or 0, size):
                for line in page["log"]:
                    print_line(line)
