"""The states of a batch and the moves between them (`livy.md` section 2.1: these five and no other)."""

from enum import StrEnum


class State(StrEnum):
    """What a client sees of a batch's life."""

    STARTING = "starting"
    RUNNING = "running"
    SUCCESS = "success"
    DEAD = "dead"
    KILLED = "killed"

    @property
    def final(self) -> bool:
        return self in FINAL


class Event(StrEnum):
    """What happens to a batch."""

    PROGRAM_STARTED = "program started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    WAS_KILLED = "was killed"


FINAL = frozenset({State.SUCCESS, State.DEAD, State.KILLED})

MOVES: dict[tuple[State, Event], State] = {
    (State.STARTING, Event.PROGRAM_STARTED): State.RUNNING,
    (State.STARTING, Event.SUCCEEDED): State.SUCCESS,
    (State.STARTING, Event.FAILED): State.DEAD,
    (State.STARTING, Event.WAS_KILLED): State.KILLED,
    (State.RUNNING, Event.SUCCEEDED): State.SUCCESS,
    (State.RUNNING, Event.FAILED): State.DEAD,
    (State.RUNNING, Event.WAS_KILLED): State.KILLED,
}


class IllegalMoveError(Exception):
    """Something happened to a batch that can't happen in its state."""


def move(state: State, event: Event) -> State:
    """The state after `event`.

    Raises:
        IllegalMoveError: a batch in `state` can't meet `event`.
    """
    try:
        return MOVES[state, event]
    except KeyError:
        raise IllegalMoveError(f"a batch that is {state} can't meet '{event}'") from None
