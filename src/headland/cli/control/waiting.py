"""Wait for work of the control plane's."""

from collections.abc import Callable
from typing import TypeVar

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.polling import Polling, PollTimeoutError
from headland.cli.surroundings import surroundings

T = TypeVar("T")

#: Seconds.
PATIENCE = 600.0


def wait_for(ask: Callable[[], T], done: Callable[[T], bool], what: str) -> T:
    """The first answer of `ask` that is `done`.

    Raises:
        CliError: 7 after ten minutes, 130 when interrupted; the work goes on.
    """
    polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True), PATIENCE)
    try:
        while not done(answer := polling.ask(ask)):
            polling.pause()
    except PollTimeoutError:
        raise CliError(
            f"{what} takes longer than {PATIENCE:.0f} seconds", "it goes on", ExitCode.TIMED_OUT
        ) from None
    except KeyboardInterrupt:
        raise CliError(f"interrupted; {what} goes on", code=ExitCode.INTERRUPTED) from None
    return answer
