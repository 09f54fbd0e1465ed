"""`headland farm import`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import click

from headland.cli.errors import CliError, one_line
from headland.cli.exit_codes import ExitCode
from headland.cli.farm.parts import STANDARD, Part, opened, parts
from headland.cli.farm.records import Counts, Records
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.polling import Polling
from headland.cli.progress import transfer
from headland.cli.surroundings import open_service, surroundings

#: Refused lines that are shown where no file keeps them.
_MOST_SHOWN = 20


@click.command("import")
@click.argument("instance")
@click.argument("file", type=click.Path(path_type=Path), default=STANDARD)
@click.option("--family", help="All lines are documents of this one, such as farms or seasonal-fields.")
@click.option("--create", "mode", flag_value="create", help="Refuse lines of which the document exists.")
@click.option(
    "--restore",
    "mode",
    flag_value="restore",
    help="Bring an export back as it was: stamps and eTags are kept, and what is there is replaced.",
)
@click.option("--refused", type=click.Path(path_type=Path), help="Write refused lines' reasons to this file.")
@click.option("--from-line", "start", type=click.IntRange(min=1), default=1, help="Leave out those before.")
@quiet_option("Show no progress, and print nothing but refused lines.")
@json_option
def import_lines(
    *,
    instance: str,
    file: Path,
    family: str | None,
    mode: str | None,
    refused: Path | None,
    start: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Bring records in, as lines of JSON.

    FILE may be compressed by gzip, if it is called so; `-` is standard input. Each line is merged into the
    document that is there, unless an option says otherwise. A line that is refused is told, and the others
    go on: then the exit code is 1.
    """
    size = file.stat().st_size if file != STANDARD and file.is_file() else 0
    with open_service() as service, _report(refused) as report:
        records = Records(service, instance, family)
        with transfer(file.name, size, quiet=quiet or as_json) as advance, opened(file, advance) as lines:
            done = _Importing(records, mode or "merge", report, start - 1).run(parts(lines, start))
    if as_json:
        print_json(asdict(done))
    elif not quiet:
        click.echo(
            f"{done.created} created, {done.updated} updated, {done.unchanged} unchanged, {done.refused} refused."
        )
    if done.refused:
        if report is None and done.refused > _MOST_SHOWN:
            rest = done.refused - _MOST_SHOWN
            click.echo(f"headland: {rest} more lines were refused; --refused FILE keeps them all", err=True)
        raise click.exceptions.Exit(ExitCode.FAILED)


@dataclass(slots=True)
class Done:
    """What has become of all lines so far."""

    #: Number of the last.
    lines: int
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0

    def add(self, counts: Counts) -> None:
        self.lines = counts.lines
        self.created += counts.created
        self.updated += counts.updated
        self.unchanged += counts.unchanged
        self.refused += counts.refused


class _Importing:
    """Sends part after part."""

    def __init__(self, records: Records, mode: str, report: IO[str] | None, before: int) -> None:
        self._records = records
        self._mode = mode
        self._report = report
        self._done = Done(before)
        self._polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))

    def run(self, lines: Iterator[Part]) -> Done:
        """Send all, through a service's restart.

        Raises:
            CliError: it can't go on, and from which line on it could.
        """
        try:
            for part in lines:
                self._polling.ask(lambda part=part: self._send(part))  # type: ignore[misc]
        except CliError as error:
            raise CliError(error.problem, self._remedy(), error.code) from None
        except KeyboardInterrupt:
            raise CliError("interrupted", self._remedy(), ExitCode.INTERRUPTED) from None
        return self._done

    def _send(self, part: Part) -> None:
        """Send what of a part is not in yet."""
        left = part.after(self._done.lines)
        try:
            account = self._records.bring(left.lines, left.first, self._mode)
        except CliError as error:
            if self._mode == "create" and error.uncertain:
                # Sent again, what has got in would be refused.
                raise CliError(error.problem, code=error.code) from None
            raise
        self._tell(account.refused)
        self._done.add(account.last)
        if account.last.event == "stopped":
            raise CliError(str(account.last.error.get("message", "the import stopped")), passing=True)

    def _tell(self, refused: list[dict[str, Any]]) -> None:
        for number, each in enumerate(refused, self._done.refused):
            if self._report is not None:
                self._report.write(json.dumps(each, ensure_ascii=False) + "\n")
            elif number < _MOST_SHOWN:
                of = " ".join(str(each[name]) for name in ("family", "party", "id") if each.get(name))
                click.echo(one_line(f"line {each['line']} ({of}): {each['message']}"), err=True)

    def _remedy(self) -> str:
        done = self._done.lines
        return f"lines up to {done} are in; go on with --from-line {done + 1}" if done else "nothing is in"


@contextmanager
def _report(file: Path | None) -> Iterator[IO[str] | None]:
    with nullcontext() if file is None else file.open("w", encoding="utf-8") as report:
        yield report
