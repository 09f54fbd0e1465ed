"""Follow a batch's log to its end: by server-sent events, and by pages where a service offers none, as Livy does."""

from collections.abc import Callable

import click

from headland.cli.batch.jobs import ENDS, Jobs, interrupted
from headland.cli.documents import view
from headland.cli.errors import BusyError
from headland.cli.livy import Job
from headland.cli.log_pages import LINES, LogPage
from headland.cli.polling import Polling
from headland.cli.surroundings import surroundings

#: Lines of a log that have a line feed within them. In all others it was a carriage return, which no event can hold.
_HEADING = "\nstderr: "


class _NoEventsError(Exception):
    """The service offers no events, or not to one more."""


def follow_log(jobs: Jobs, id_: str, start: int, write: Callable[[str], None]) -> str:
    """Write each line from number `start` on, once, until the batch has ended; the state it ended in.

    Raises:
        CliError: 130 when interrupted, or as `Polling.ask` has it.
    """
    polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))
    try:
        id_ = polling.ask(lambda name=id_: jobs.number(name))  # type: ignore[misc]
        following = _Following(jobs, id_, start, write, polling)
        try:
            return following.by_events()
        except _NoEventsError:
            return following.by_pages()
    except KeyboardInterrupt:
        raise interrupted(id_) from None


class _Following:
    """How far a log has been written."""

    def __init__(
        self, jobs: Jobs, id_: str, start: int, write: Callable[[str], None], polling: Polling
    ) -> None:
        self._jobs = jobs
        self._id = id_
        self._write = write
        self._polling = polling
        #: Number of the line that comes next.
        self._next = start
        #: Id of the last event.
        self._place: str | None = None

    def by_events(self) -> str:
        """Go on until the batch has ended; the state it ended in.

        Raises:
            _NoEventsError: it takes pages to go on.
        """
        while True:
            end = self._polling.ask(self._listen)
            if end in ENDS:
                return end
            if end is not None:
                self._state()  # says that there is no such batch any more
            self._polling.pause()

    def _listen(self) -> str | None:
        """What the end of the log is called; None where the service has stopped before."""
        try:
            with self._jobs.log_events(self._id, self._next, LINES, self._place) as events:
                if events is None:
                    raise _NoEventsError
                for event in events:
                    self._polling.heard()
                    if event.name == "end":
                        return event.data
                    self._place = event.id
                    self._take(event.data if event.data == _HEADING else event.data.replace("\n", "\r"))
        except BusyError:
            raise _NoEventsError from None
        return None

    def by_pages(self) -> str:
        """The same, by asking again and again."""
        while True:
            # The state goes first: a log read after the end is a whole log.
            state, begun = self._state(), self._next
            while True:
                page = self._polling.ask(lambda: view(self._jobs.log(self._id, self._next, LINES), LogPage))
                for line in page.log:
                    self._take(line)
                if not page.log or self._next >= page.total:
                    break
            if state in ENDS:
                return state
            if self._next > begun:
                self._polling.heard()
            self._polling.pause()

    def _take(self, line: str) -> None:
        self._write(line)
        self._next += 1

    def _state(self) -> str:
        return self._polling.ask(lambda: view(self._jobs.state(self._id), Job)).state
