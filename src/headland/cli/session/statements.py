"""`headland session statements` and `cancel`."""

import click

from headland.cli.documents import view
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table, when
from headland.cli.session.outputs import print_output
from headland.cli.session.sessions import Sessions, Statement, StatementPage
from headland.cli.surroundings import open_service


@click.command()
@click.argument("session_id", metavar="ID")
@click.argument("number", type=click.IntRange(min=0), required=False)
@click.option(
    "--from", "start", type=click.IntRange(min=0), default=0, show_default=True, help="Number of the first."
)
@click.option("--size", type=click.IntRange(min=0), help="How many at most; else all.")
@click.option("--newest-first", is_flag=True, help="Begin with the newest.")
@json_option
def statements(
    *, session_id: str, number: int | None, start: int, size: int | None, newest_first: bool, as_json: bool
) -> None:
    """List what was run in a session; with NUMBER, print what came of one statement."""
    with open_service() as service:
        sessions = Sessions(service)
        document = (
            sessions.statements(session_id, start, size, newest_first=newest_first)
            if number is None
            else sessions.statement(session_id, number)
        )
    if as_json:
        print_json(document)
    elif number is not None:
        print_output(view(document, Statement).output)
    else:
        print_table(
            ["Id", "State", "Started", "Code"],
            [
                [each.id, each.state, when(each.started) if each.started else None, _first_line(each.code)]
                for each in view(document, StatementPage).statements
            ],
            fold=("Code",),
        )


@click.command()
@click.argument("session_id", metavar="ID")
@click.argument("number", type=click.IntRange(min=0))
@json_option
@quiet_option("Print nothing.")
def cancel(session_id: str, number: int, as_json: bool, quiet: bool) -> None:
    """Stop a statement, its Spark jobs included."""
    with open_service() as service:
        document = Sessions(service).cancel(session_id, number)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Statement {number} of session {session_id}: being stopped.")


def _first_line(code: str) -> str:
    first, _, rest = code.strip().partition("\n")
    return f"{first} …" if rest else first
