"""What came of a statement, for people: text, tables, JSON; a word about what a terminal can't show."""

from typing import Any

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.output import print_json, print_table
from headland.cli.session.sessions import Statement

_TEXT, _JSON, _TABLE = "text/plain", "application/json", "application/vnd.livy.table.v1+json"

#: Characters of an error that are told after it has been shown.
_LONGEST = 500


def print_output(output: dict[str, Any] | None) -> None:
    """What the code showed on standard output, and a traceback on standard error."""
    if output is None:
        return
    for media_type, shown in output.get("data", {}).items():
        if media_type == _TEXT:
            if shown:
                click.echo(shown, color=True, nl=not shown.endswith("\n"))
        elif media_type == _TABLE:
            print_table([header["name"] for header in shown["headers"]], shown["data"])
        elif media_type == _JSON and isinstance(shown, dict) and {"schema", "data"} <= shown.keys():
            _print_rows(shown)
        elif media_type == _JSON:
            print_json(shown)
        else:
            click.echo(f"[{media_type}, {len(shown)} characters: --json shows them]")
    lines = output.get("traceback") or []
    message = str(output.get("evalue", ""))
    # What has more than one line is told in full once, here or by the traceback.
    if "\n" in message and message not in "".join(lines):
        lines = [message, *lines]
    # Java's frames come without ends of lines.
    click.echo("".join(line if line.endswith("\n") else f"{line}\n" for line in lines), err=True, nl=False)


def check_output(statement: Statement, session: str) -> None:
    """Return if a statement ended well.

    Raises:
        CliError: it did not; with the exit code that says how.
    """
    what = f"statement {statement.id} of session {session}"
    if statement.state == "cancelled":
        raise CliError(f"{what} was cancelled", code=ExitCode.KILLED)
    output = statement.output or {}
    if output.get("status") == "error":
        first = str(output.get("evalue", "")).strip().partition("\n")[0]
        said = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"
        raise CliError(f"{what} failed ({output.get('ename')}: {said})")


def _print_rows(shown: dict[str, Any]) -> None:
    """The result of a query. One that has no columns made or changed something."""
    names = [field["name"] for field in shown["schema"]["fields"]]
    if names:
        print_table(names, shown["data"], fold=names)
    if "notice" in shown:
        click.echo(shown["notice"], err=True)
