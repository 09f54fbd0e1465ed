"""`headland batch wait`, and waiting for the end of a batch."""

import click

from headland.cli.batch.jobs import ENDS, Jobs, Progress, check_end, interrupted
from headland.cli.batch.watching import Watcher, watcher
from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.polling import Polling, PollTimeoutError
from headland.cli.surroundings import open_service, surroundings


@click.command()
@click.argument("batch_id", metavar="ID")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Give up after so long, with exit code 7; the batch goes on.",
)
@json_option
@quiet_option("Show no progress, and print nothing.")
def wait(batch_id: str, timeout: float | None, as_json: bool, quiet: bool) -> None:
    """Wait until a batch has ended.

    Ends with 0, 1 or 3 as the batch ended in success, dead or killed.
    """
    with open_service() as service:
        jobs = Jobs(service)
        with watcher(quiet=quiet) as watching:
            state = wait_for_end(jobs, batch_id, watching, timeout)
        if as_json:
            print_json(jobs.batch(batch_id))
        elif not quiet:
            click.echo(f"Batch {batch_id}: {state}.")
        check_end(jobs, state, batch_id)


def wait_for_end(jobs: Jobs, id_: str, watching: Watcher, timeout: float | None = None) -> str:
    """The state in which the batch ended.

    Raises:
        CliError: 7 after `timeout` seconds, 130 when interrupted, or as `Polling.ask` has it.
    """
    polling = Polling(surroundings(), watching.say, timeout)
    state = "unknown"
    try:
        id_ = polling.ask(lambda name=id_: jobs.number(name))  # type: ignore[misc]
        while True:
            progress = polling.ask(lambda: view(jobs.progress(id_), Progress))
            if progress.state != state:
                polling.hurry()
            state = progress.state
            watching.see(progress)
            if state in ENDS:
                return state
            polling.pause()
    except PollTimeoutError:
        raise CliError(
            f"batch {id_} has not ended in {timeout:g} seconds, it is {state}",
            f"`headland batch wait {id_}` waits on",
            ExitCode.TIMED_OUT,
        ) from None
    except KeyboardInterrupt:
        raise interrupted(id_) from None
