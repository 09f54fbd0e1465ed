"""`headland session run`."""

import sys

import click

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option
from headland.cli.output import print_json
from headland.cli.polling import Polling
from headland.cli.session.outputs import check_output, print_output
from headland.cli.session.sessions import LANGUAGES, Sessions, Statement, when_up
from headland.cli.surroundings import open_service, surroundings


@click.command()
@click.argument("session_id", metavar="ID")
@click.argument("code", required=False)
@click.option("--kind", type=click.Choice(LANGUAGES), help="Language of the code; else the session's.")
@click.option("--detach", is_flag=True, help="Print the statement's number, and don't wait for its end.")
@json_option
def run(session_id: str, code: str | None, kind: str | None, detach: bool, as_json: bool) -> None:
    """Run code in a session, and print what comes of it.

    CODE is read from standard input where it is not given or is `-`. Waits for a session that is starting. Ends
    with 1 if the code failed, and with 3 if it was cancelled.
    """
    if code is None or code == "-":
        code = sys.stdin.read()
    with open_service() as service:
        sessions = Sessions(service)
        polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))
        id_ = when_up(sessions, session_id, polling)
        document = sessions.submit(id_, code, kind)
        if not detach:
            document = _ended(sessions, id_, view(document, Statement).id, polling)
    statement = view(document, Statement)
    if as_json:
        print_json(document)
    elif detach:
        click.echo(statement.id)
        return
    else:
        print_output(statement.output)
    if not detach:
        check_output(statement, id_)


def _ended(sessions: Sessions, id_: str, number: int, polling: Polling) -> dict[str, object]:
    """The statement, once it has ended. The service may be away meanwhile.

    Raises:
        CliError: 130 when interrupted, or as `Polling.ask` has it.
    """
    polling.hurry()
    try:
        while True:
            document = polling.ask(lambda: sessions.statement(id_, number))
            if view(document, Statement).over:
                return document
            polling.pause()
    except KeyboardInterrupt:
        raise CliError(
            f"interrupted; statement {number} of session {id_} goes on",
            f"`headland session statements {id_} {number}` shows what comes of it, "
            f"`headland session cancel {id_} {number}` stops it",
            ExitCode.INTERRUPTED,
        ) from None
