"""The states of a session as its row has them, and the moves between them (`livy.md` section 4.1).

What a client sees of a session that is up is its host's to say: idle, busy, error.
"""

from enum import StrEnum


class State(StrEnum):
    STARTING = "starting"
    #: Up, as far as the controller knows.
    IDLE = "idle"
    BUSY = "busy"
    ERROR = "error"
    SHUTTING_DOWN = "shutting_down"
    DEAD = "dead"


class Event(StrEnum):
    """What happens to a session."""

    INTERPRETER_READY = "interpreter ready"
    ENDED = "ended"


MOVES: dict[tuple[State, Event], State] = {
    (State.STARTING, Event.INTERPRETER_READY): State.IDLE,
    (State.STARTING, Event.ENDED): State.DEAD,
    (State.IDLE, Event.ENDED): State.DEAD,
}


class IllegalMoveError(Exception):
    """Something happened to a session that can't happen in its state."""


def move(state: State, event: Event) -> State:
    """The state after `event`.

    Raises:
        IllegalMoveError: a session in `state` can't meet `event`.
    """
    try:
        return MOVES[state, event]
    except KeyError:
        raise IllegalMoveError(f"a session that is {state} can't meet '{event}'") from None
