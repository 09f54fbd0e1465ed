"""The job service, as commands use it: Livy's protocol, and the additions for progress and kill."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.events import EVENTS, Event, events
from headland.cli.exit_codes import ExitCode
from headland.cli.livy import Job
from headland.cli.log_pages import LogPage

if TYPE_CHECKING:
    from headland.cli.service import Service

#: How a batch may end, and with which code a command that waited for it ends then.
ENDS = {"success": ExitCode.OK, "dead": ExitCode.FAILED, "killed": ExitCode.KILLED}

#: The line of a report that says why, and how many lines a report has at most.
_DIAGNOSTICS = "\t diagnostics: "
_REPORT = 20


class Stage(Struct):
    """A Spark stage."""

    id: int
    attempt: int
    name: str
    state: str
    tasks: int
    completed: int
    failed: int
    active: int


class Progress(Struct):
    """How far a batch has come."""

    id: int
    state: str
    tasks: int = 0
    completed: int = 0
    failed: int = 0
    active: int = 0
    stages: list[Stage] = []


class Jobs:
    """Batches, by number or name."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._batches = "/batches" if service.profile.private else "/livy/batches"

    def number(self, id_: str) -> str:
        """The number of a batch. A name may come to mean another batch while one is waited for."""
        return id_ if id_.isdigit() else str(view(self.state(id_), Job).id)

    def submit(self, request: dict[str, Any], key: str) -> dict[str, Any]:
        """The batch made of `request`, in Livy's words: by this call, or an earlier one with the same `key`."""
        headers = {"Idempotency-Key": key}
        return self._service.document("POST", self._batches, body=request, headers=headers)

    def page(self, start: int, size: int, **wanted: str | None) -> dict[str, Any]:
        """Batches `[start, start + size)`, oldest first, unless `wanted` (`order`, `state`, `owner`, `name`)
        says otherwise.
        """
        return self._service.document("GET", self._batches, query={"from": start, "size": size, **wanted})

    def batch(self, id_: str) -> dict[str, Any]:
        """The batch."""
        return self._one("GET", id_)

    def state(self, id_: str) -> dict[str, Any]:
        """The batch's number and state."""
        return self._one("GET", id_, "/state")

    def progress(self, id_: str) -> dict[str, Any]:
        """How far it has come; the state alone where the service does not know more than Livy."""
        try:
            return self._one("GET", id_, "/progress")
        except CliError as error:
            if error.code != ExitCode.NOT_FOUND:
                raise
            return self.state(id_)

    def log(self, id_: str, start: int | None, size: int) -> dict[str, Any]:
        """Lines `[start, start + size)` of the log; the last `size` where there is no `start`."""
        return self._one("GET", id_, "/log", query={"from": start, "size": size})

    @contextmanager
    def log_events(
        self, id_: str, start: int, size: int, last: str | None
    ) -> Iterator[Iterator[Event] | None]:
        """The log's lines as they come, from number `start` on, or behind the event with the id `last`; None where
        the service answers with a page of at most `size` instead, as Livy does.
        """
        headers = {"Accept": f"{EVENTS}, application/json"} | ({"Last-Event-ID": last} if last else {})
        query = {"from": start, "size": size}
        with self._service.stream(
            self._path(id_, "/log"), query=query, headers=headers, missing=_missing(id_)
        ) as answer:
            offered = answer.headers.get("content-type", "").startswith(EVENTS)
            yield events(answer.iter_bytes()) if offered else None

    def diagnosis(self, id_: str) -> str:
        """Why it ended as it did, by the report at the end of its log; "" where that does not tell, as in Livy."""
        try:
            tail = view(self.log(id_, None, _REPORT), LogPage).log
        except CliError:
            return ""
        told = [line.removeprefix(_DIAGNOSTICS) for line in tail if line.startswith(_DIAGNOSTICS)]
        return told[-1] if told else ""

    def kill(self, id_: str) -> dict[str, Any]:
        """Stop it and keep its record."""
        return self._one("POST", id_, "/kill")

    def delete(self, id_: str) -> dict[str, Any]:
        """Stop it if it runs, and remove it."""
        return self._one("DELETE", id_)

    def _one(self, method: str, id_: str, below: str = "", **request: Any) -> dict[str, Any]:
        return self._service.document(method, self._path(id_, below), missing=_missing(id_), **request)

    def _path(self, id_: str, below: str) -> str:
        return f"{self._batches}/{quote(id_, safe='')}{below}"


def _missing(id_: str) -> CliError:
    return not_found(f"batch '{id_}'", "batch list")


def check_end(jobs: Jobs, state: str, id_: str) -> None:
    """Return if a batch ended well.

    Raises:
        CliError: it did not; with the exit code that says how, and the reason, if it is known.
    """
    if ENDS[state] is ExitCode.OK:
        return
    if state != "dead":
        raise CliError(f"batch {id_} ended {state}", "submit it again to run it", ENDS[state])
    reason = jobs.diagnosis(id_)
    problem = f"batch {id_} ended dead: {reason}" if reason else f"batch {id_} ended dead"
    raise CliError(problem, f"`headland batch log {id_}` tells {'more' if reason else 'why'}", ENDS[state])


def interrupted(id_: str) -> CliError:
    """What to say when somebody stops watching."""
    return CliError(
        f"interrupted; batch {id_} goes on",
        f"`headland batch wait {id_}` waits for it, `headland batch kill {id_}` stops it",
        ExitCode.INTERRUPTED,
    )
