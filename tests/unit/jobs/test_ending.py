"""How did it end? From a runner's record, or from there being none, to a final state."""

import re
import signal

import pytest

from headland.jobs.batches.states import Event
from headland.jobs.batches.submission import Submission
from headland.jobs.controller.ending import (
    Ending,
    killed_before_start,
    never_started,
    recorded,
    runner_lost,
    shutdown_lines,
)

JAR = Submission(file="wasbs:///app.jar", class_name="demo.App")
AT = 1_800_000_000_000
ON_REQUEST = "The batch was killed on request."


def record(**changes: object) -> dict[str, object]:
    """What a runner writes into `exit.json`."""
    return {"exit_code": None, "signal": None, "killed": False, "problem": None, "at": AT, **changes}


def from_outside(name: str) -> tuple[str, str]:
    return f"The application was stopped from outside by {name}.", f"the application was stopped by {name}"


RECORDS = {
    "exit 0": (
        {"exit_code": 0},
        (Event.SUCCEEDED, "SUCCEEDED"),
        ("N/A", "the application ended with exit code 0"),
    ),
    "exit 0 though it was told to go": (
        {"exit_code": 0, "killed": True},
        (Event.SUCCEEDED, "SUCCEEDED"),
        ("N/A", "the application ended with exit code 0"),
    ),
    "exit 1": (
        {"exit_code": 1},
        (Event.FAILED, "FAILED"),
        (
            "The application ended with exit code 1 and did not say why.",
            "the application ended with exit code 1",
        ),
    ),
    "exit 101": (
        {"exit_code": 101},
        (Event.FAILED, "FAILED"),
        (
            "The application ended with exit code 101 and did not say why.",
            "the application ended with exit code 101",
        ),
    ),
    "exit 143: a JVM after SIGTERM": (
        {"exit_code": 143},
        (Event.WAS_KILLED, "KILLED"),
        from_outside("signal 15 (SIGTERM)"),
    ),
    "exit 130: a JVM after SIGINT": (
        {"exit_code": 130},
        (Event.WAS_KILLED, "KILLED"),
        from_outside("signal 2 (SIGINT)"),
    ),
    "signal 9": ({"signal": 9}, (Event.WAS_KILLED, "KILLED"), from_outside("signal 9 (SIGKILL)")),
    "signal 15": ({"signal": 15}, (Event.WAS_KILLED, "KILLED"), from_outside("signal 15 (SIGTERM)")),
    "a signal without a name": ({"signal": 40}, (Event.WAS_KILLED, "KILLED"), from_outside("signal 40")),
    "killed, by signal": (
        {"signal": 15, "killed": True},
        (Event.WAS_KILLED, "KILLED"),
        (ON_REQUEST, "the application was stopped"),
    ),
    "killed, a JVM": (
        {"exit_code": 143, "killed": True},
        (Event.WAS_KILLED, "KILLED"),
        (ON_REQUEST, "the application was stopped"),
    ),
    "killed, with another code": (
        {"exit_code": 1, "killed": True},
        (Event.WAS_KILLED, "KILLED"),
        (ON_REQUEST, "the application was stopped"),
    ),
    "killed before it was started": (
        {"killed": True},
        (Event.WAS_KILLED, "KILLED"),
        (ON_REQUEST, "the application was not started"),
    ),
    "could not be started": (
        {"problem": "/opt/java can't be started: No such file or directory"},
        (Event.FAILED, "FAILED"),
        ("/opt/java can't be started: No such file or directory", "the application was not started"),
    ),
    **{
        f"crashed with {number.name}": (
            {"signal": int(number)},
            (Event.FAILED, "FAILED"),
            (
                f"The application crashed: it got signal {number} ({number.name}) for a fault of its own.",
                f"the application crashed with signal {number} ({number.name})",
            ),
        )
        for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
    },
}


@pytest.mark.parametrize(("changes", "outcome", "texts"), RECORDS.values(), ids=RECORDS)
def test_what_a_runner_put_on_record(changes, outcome, texts):
    ending = recorded(record(**changes), JAR, [])
    assert (ending.event, ending.final_status) == outcome
    assert (ending.diagnostics, ending.shutdown) == texts
    assert ending.at == AT
    assert ending.exit_code == changes.get("exit_code")


@pytest.mark.parametrize("number", sorted(signal.valid_signals()))
def test_every_signal_there_is_has_an_ending(number):
    assert recorded(record(signal=number), JAR, []).event in {Event.FAILED, Event.WAS_KILLED}


def test_a_failures_cause_comes_from_its_output():
    ending = recorded(record(exit_code=1), JAR, ["fine", "Error: Failed to load class demo.App."])
    assert (
        ending.diagnostics == "The entry class 'demo.App' is not in the application archive wasbs:///app.jar."
    )


def test_output_is_not_looked_at_where_the_cause_is_known():
    output = ["java.lang.OutOfMemoryError: Java heap space"]
    for changes in ({"exit_code": 0}, {"signal": 9}, {"signal": 15, "killed": True}, {"problem": "no Java"}):
        assert "memory" not in recorded(record(**changes), JAR, output).diagnostics


LOST = "The batch's runner was killed or its machine went down; how the application ended is not known."
OTHERS = [
    (
        runner_lost(AT, unwanted=False),
        Ending(Event.FAILED, LOST, AT, None, "what was left of the application was stopped"),
    ),
    (
        runner_lost(AT, unwanted=True),
        Ending(Event.WAS_KILLED, ON_REQUEST, AT, None, "its processes were stopped"),
    ),
    (
        never_started(AT, "wasbs:///app.jar is gone"),
        Ending(Event.FAILED, "wasbs:///app.jar is gone", AT, None, "the application was not started"),
    ),
    (
        killed_before_start(AT),
        Ending(Event.WAS_KILLED, ON_REQUEST, AT, None, "the application was not started"),
    ),
]


@pytest.mark.parametrize(("ending", "expected"), OTHERS)
def test_endings_without_a_record(ending, expected):
    assert ending == expected


def test_shutdown_messages_look_like_sparks_own():
    first, second = shutdown_lines(killed_before_start(AT), 7)
    assert re.fullmatch(
        r"2[67]/\d\d/\d\d \d\d:\d\d:\d\d INFO Runner: Shutdown: the application was not started", first
    )
    assert second[17:] == " INFO Runner: Shutdown complete: no process of batch 7 is left"
    assert first[:17] == second[:17]
