"""The states of a job, and what leads from one to another."""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    """A job's state, in the protocol's words.

    Its fifth one, `Cancelled`, is never reached: no operation cancels a job, and the public Python client waits
    for ever on one that says so (`farm.md` section 3.3).
    """

    WAITING = "Waiting"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"

    @property
    def ended(self) -> bool:
        return self in {State.SUCCEEDED, State.FAILED}


class Event(StrEnum):
    """What happens to a job."""

    #: Somebody begins with it, or takes up what one who died has left.
    TAKEN = "taken"
    DONE = "done"
    #: Whoever does it has to end before it is done.
    LAID_DOWN = "laid down"
    GIVEN_UP = "given up"


TRANSITIONS: Mapping[tuple[State, Event], State] = {
    (State.WAITING, Event.TAKEN): State.RUNNING,
    (State.RUNNING, Event.TAKEN): State.RUNNING,
    (State.RUNNING, Event.LAID_DOWN): State.WAITING,
    (State.RUNNING, Event.DONE): State.SUCCEEDED,
    (State.RUNNING, Event.GIVEN_UP): State.FAILED,
}


def sources_of(event: Event) -> frozenset[State]:
    """The states in which something can happen."""
    return frozenset(state for state, happening in TRANSITIONS if happening is event)


def target_of(event: Event) -> State:
    """The state after something has happened; each event has one."""
    (target,) = {target for (_, happening), target in TRANSITIONS.items() if happening is event}
    return target
