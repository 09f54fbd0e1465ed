"""How did it end? From what a runner recorded, or from there being no runner, to a final state."""

import signal
import time
from dataclasses import dataclass

from headland.jobs.batches.states import Event
from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.manager import Application, Phase
from headland.jobs.controller.diagnosis import diagnose

_FINAL_STATUS = {Event.SUCCEEDED: "SUCCEEDED", Event.FAILED: "FAILED", Event.WAS_KILLED: "KILLED"}

#: A JVM that is told to go runs its shutdown hooks and then says 128 + the signal's number.
_TOLD_TO_GO = {
    128 + number: number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
}

#: What a process gets for a fault of its own; a JVM that finds itself broken aborts.
_CRASHES = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTRAP,
    }
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a batch."""

    event: Event
    diagnostics: str
    #: Milliseconds since the epoch.
    at: int
    exit_code: int | None
    #: What happened at the end, in words.
    shutdown: str
    #: The application as the manager last knew it, where one did.
    application: Application | None = None

    @property
    def final_status(self) -> str:
        return _FINAL_STATUS[self.event]


def recorded(record: dict[str, object], submission: Submission, output: list[str]) -> Ending:
    """The ending that a runner put on record."""
    exit_code, number = _number(record["exit_code"]), _number(record["signal"])
    at = _number(record["at"]) or 0
    if record["problem"]:
        return Ending(Event.FAILED, str(record["problem"]), at, None, "the application was not started")
    if number is None and exit_code in _TOLD_TO_GO:
        number = _TOLD_TO_GO[exit_code]
    how = (
        f"the application ended with exit code {exit_code}"
        if exit_code is not None
        else "the application ended"
    )
    if exit_code == 0:
        return Ending(Event.SUCCEEDED, "N/A", at, 0, how)
    if record["killed"]:
        started = exit_code is not None or number is not None
        how = "the application was stopped" if started else "the application was not started"
        return Ending(Event.WAS_KILLED, "The batch was killed on request.", at, exit_code, how)
    if number is not None:
        name = _name(number)
        if number in _CRASHES:
            text = f"The application crashed: it got {name} for a fault of its own."
            return Ending(Event.FAILED, text, at, exit_code, f"the application crashed with {name}")
        text = f"The application was stopped from outside by {name}."
        return Ending(Event.WAS_KILLED, text, at, exit_code, f"the application was stopped by {name}")
    return Ending(Event.FAILED, diagnose(submission, exit_code, output), at, exit_code, how)


def runner_lost(at: int, *, unwanted: bool) -> Ending:
    """A program was started, and its runner is gone without a record."""
    if unwanted:
        return Ending(
            Event.WAS_KILLED, "The batch was killed on request.", at, None, "its processes were stopped"
        )
    text = "The batch's runner was killed or its machine went down; how the application ended is not known."
    return Ending(Event.FAILED, text, at, None, "what was left of the application was stopped")


def reported(
    application: Application, submission: Submission, output: list[str], at: int, *, unwanted: bool
) -> Ending:
    """The ending that a cluster's manager tells of; `output` ends with what the driver wrote."""
    at = application.finished_at or at
    how = f"the application ended as {application.handle}, {application.phase}"
    if application.phase is Phase.SUCCEEDED:
        return Ending(Event.SUCCEEDED, "N/A", at, 0, how, application)
    if unwanted:
        how = f"{application.handle} was stopped"
        return Ending(Event.WAS_KILLED, "The batch was killed on request.", at, None, how, application)
    if application.phase is Phase.KILLED:
        text = f"The application was killed on its cluster as {application.handle}. {application.diagnostics}"
        return Ending(Event.WAS_KILLED, text.strip(), at, None, how, application)
    text = application.diagnostics or diagnose(submission, None, output)
    return Ending(Event.FAILED, text, at, None, how, application)


def kill_unanswered(application: Application, at: int) -> Ending:
    """A manager took the wish to have an application killed, and never said that it was."""
    text = f"The batch was killed on request; its cluster has not said that {application.handle} is gone."
    return Ending(Event.WAS_KILLED, text, at, None, f"{application.handle} was told to go", application)


def unknown_to_manager(handle: str | None, waited: float, at: int, *, unwanted: bool) -> Ending:
    """A manager answers, and knows nothing of an application."""
    if unwanted:
        text = "The batch was killed on request."
        return Ending(Event.WAS_KILLED, text, at, None, "its cluster knows nothing of the application")
    what = f"the application {handle}" if handle else "an application of this batch"
    text = f"The cluster's manager has not known {what} for {waited:.0f} seconds; how it ended is not known."
    return Ending(Event.FAILED, text, at, None, "its cluster knows nothing of the application")


def never_started(at: int, problem: str) -> Ending:
    """The application can't be started."""
    return Ending(Event.FAILED, problem, at, None, "the application was not started")


def killed_before_start(at: int) -> Ending:
    """A batch was killed while it waited."""
    return Ending(
        Event.WAS_KILLED, "The batch was killed on request.", at, None, "the application was not started"
    )


def shutdown_lines(ending: Ending, batch_id: int) -> tuple[str, ...]:
    """The shutdown messages, in the form of Spark's own log lines."""
    when = time.strftime("%y/%m/%d %H:%M:%S", time.localtime(ending.at / 1000))
    return (
        f"{when} INFO Runner: Shutdown: {ending.shutdown}",
        f"{when} INFO Runner: Shutdown complete: no process of batch {batch_id} is left",
    )


def _name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
