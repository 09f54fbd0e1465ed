"""What goes wrong in foreseeable ways: one line on standard error, and an exit code."""

from typing import IO, Any

import click

from headland.cli.exit_codes import ExitCode


class CliError(click.ClickException):
    """`headland: <what is the matter>; <what to do>`."""

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        code: ExitCode = ExitCode.FAILED,
        *,
        passing: bool = False,
        uncertain: bool = False,
    ) -> None:
        super().__init__(one_line(f"{problem.rstrip('. ')}; {remedy}" if remedy else problem))
        self.problem = problem
        self.code = code
        #: Whether the same call may well succeed in a while: a service that restarts, for one.
        self.passing = passing
        #: Whether the call may have been carried out even so.
        self.uncertain = uncertain

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"headland: {self.message}", file=file, err=file is None)


def not_found(what: str, listed_by: str) -> CliError:
    """There is no such thing; the command `headland <listed_by>` lists those there are."""
    return CliError(
        f"there is no {what}", f"`headland {listed_by}` shows those there are", ExitCode.NOT_FOUND
    )


class BusyError(CliError):
    """The service can't do this now, and has done nothing: it starts or stops, or has too much to do."""


def one_line(text: str) -> str:
    """`text` without line breaks and without what could steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
