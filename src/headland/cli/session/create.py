"""`headland session create`."""

from typing import Any

import click

from headland.cli.documents import view
from headland.cli.livy import Job
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.polling import Polling
from headland.cli.session.sessions import KINDS, Sessions, when_up
from headland.cli.spark_options import in_livys_words, spark_options
from headland.cli.surroundings import open_service, surroundings


@click.command()
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="pyspark",
    show_default=True,
    help="Language of statements that don't say their own; where it is `shared`, all have to.",
)
@click.option("--name", help="A name, unique among sessions that have not ended.")
@spark_options
@click.option("--ttl", metavar="TIME", help="How long it may live, such as 90s or 2h.")
@click.option("--idle-timeout", metavar="TIME", help="How long it may be idle, such as 90s or 2h.")
@click.option(
    "--heartbeat-timeout",
    "heartbeat_timeout_in_second",
    type=click.IntRange(min=0),
    metavar="SECONDS",
    help="How long nobody may ask for it.",
)
@click.option("--wait", "waits", is_flag=True, help="Wait until it takes statements.")
@json_option
@quiet_option("Print the session's number alone.")
def create(*, waits: bool, as_json: bool, quiet: bool, **named: Any) -> None:
    """Start a session."""
    with open_service() as service:
        sessions = Sessions(service)
        document = sessions.create(in_livys_words(**named))
        session = view(document, Job)
        if not as_json:
            click.echo(session.id if quiet else f"Session {session.id}: {session.state}.")
        if waits:
            polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))
            id_ = when_up(sessions, str(session.id), polling)
            document = sessions.session(id_)
            if not (as_json or quiet):
                click.echo(f"Session {id_}: {view(document, Job).state}.")
        if as_json:
            print_json(document)
