"""`headland batch log`."""

from functools import partial

import click

from headland.cli.batch.following import follow_log
from headland.cli.batch.jobs import Jobs
from headland.cli.log_pages import check_part, last_lines, log_options, print_line, print_log
from headland.cli.surroundings import open_service


@click.command()
@click.argument("batch_id", metavar="ID")
@click.option("--follow", "-f", is_flag=True, help="Go on until the batch has ended.")
@log_options
def log(
    *, batch_id: str, follow: bool, start: int | None, size: int | None, tail: int | None, as_json: bool
) -> None:
    """Print a batch's log."""
    check_part(start, size, tail)
    if follow and (as_json or size is not None):
        raise click.UsageError("--follow goes with neither --json nor --size.")
    with open_service() as service:
        jobs = Jobs(service)
        ask = partial(jobs.log, batch_id)
        if follow:
            begin = (start or 0) if tail is None else last_lines(ask, tail)[0]
            follow_log(jobs, batch_id, begin, print_line)
        else:
            print_log(ask, start, size, tail, as_json=as_json)
