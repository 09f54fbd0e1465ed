"""Lines on their way in, part after part, through a service's restart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.farm.parts import Part
from headland.cli.farm.records import Counts, Records
from headland.cli.farm.report import Report
from headland.cli.polling import Polling
from headland.cli.surroundings import surroundings


@dataclass(slots=True)
class Done:
    """What has become of all lines so far."""

    #: Number of the last; of several files, of all.
    lines: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0

    def add(self, counts: Counts) -> None:
        """What has become of further lines."""
        self.lines = counts.lines
        self._count(counts)

    def join(self, other: "Done") -> None:
        """What has become of another file's."""
        self.lines += other.lines
        self._count(other)

    def _count(self, counts: "Counts | Done") -> None:
        self.created += counts.created
        self.updated += counts.updated
        self.unchanged += counts.unchanged
        self.refused += counts.refused


class Bringing:
    """Sends part after part of one file's lines."""

    def __init__(self, records: Records, mode: str, report: Report, name: str = "") -> None:
        """`name` is of the file, where that needs to be told."""
        self._records = records
        self._mode = mode
        self._report = report
        self._name = name
        self._polling = patience()

    def run(self, lines: Iterator[Part], before: int = 0) -> Done:
        """Send all, of which those up to number `before` were left out.

        Raises:
            CliError: it can't go on, and from which line on it could.
        """
        done = Done(before)
        try:
            for part in lines:
                self._polling.ask(lambda part=part: self._send(part, done))  # type: ignore[misc]
        except CliError as error:
            raise CliError(error.problem, self._remedy(done), error.code) from None
        except KeyboardInterrupt:
            raise CliError("interrupted", self._remedy(done), ExitCode.INTERRUPTED) from None
        return done

    def _send(self, part: Part, done: Done) -> None:
        """Send what of a part is not in yet."""
        left = part.after(done.lines)
        try:
            account = self._records.bring(left.lines, left.first, self._mode)
        except CliError as error:
            if self._mode == "create" and error.uncertain:
                # Sent again, what has got in would be refused.
                raise CliError(error.problem, code=error.code) from None
            raise
        for each in account.refused:
            self._tell(each)
        done.add(account.last)
        if account.last.event == "stopped":
            raise CliError(str(account.last.error.get("message", "the import stopped")), passing=True)

    def _tell(self, refused: dict[str, Any]) -> None:
        of = " ".join(str(refused[name]) for name in ("family", "party", "id") if refused.get(name))
        where = f"{self._name} line" if self._name else "line"
        entry = refused | {"file": self._name} if self._name else refused
        self._report.add(f"{where} {refused['line']} ({of}): {refused['message']}", entry)

    def _remedy(self, done: Done) -> str:
        if self._name:
            return "what is in is in; call it again"
        last = done.lines
        return f"lines up to {last} are in; go on with --from-line {last + 1}" if last else "nothing is in"


def patience() -> Polling:
    """To ask again while the service is away, and say so."""
    return Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))
