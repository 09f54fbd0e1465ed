"""`headland session log`."""

from functools import partial

import click

from headland.cli.log_pages import check_part, log_options, print_log
from headland.cli.session.sessions import Sessions
from headland.cli.surroundings import open_service


@click.command()
@click.argument("session_id", metavar="ID")
@log_options
def log(*, session_id: str, start: int | None, size: int | None, tail: int | None, as_json: bool) -> None:
    """Print a session's log: what its JVM and interpreters wrote, not what statements printed."""
    check_part(start, size, tail)
    with open_service() as service:
        print_log(partial(Sessions(service).log, session_id), start, size, tail, as_json=as_json)
