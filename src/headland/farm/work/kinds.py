"""Kinds of work, declared: what a job of each is given, and how it is done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headland.farm.work.turns import Turns

#: What a job does last, committed together with its end: nobody sees the one without the other. It returns the
#: job's last message.
LastStep = Callable[[Connection], str]


def _nothing(_: object) -> None:
    """There is nothing to do."""


class WorkError(Exception):
    """The work can't be done: the job fails with this code and message, which are for its owner."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work. What it does before its last step, and after it, must bear being done again from the beginning:
    a process that is killed is followed by another one.
    """

    #: In rows of jobs.
    name: str
    #: What a job's row keeps as JSON.
    input: type[Struct]
    #: Raises WorkError, or StoppingError.
    run: Callable[[Turns, Any], LastStep]
    #: Committed together with the end of a job that has failed.
    abandon: Callable[[Connection], None] = _nothing
    #: What is left to be done when jobs have ended, and that nobody waits for. Raises StoppingError.
    clear: Callable[[Turns], None] = _nothing

    def input_of(self, stored: bytes) -> Any:
        """What a row has kept."""
        return msgspec.json.decode(stored, type=self.input)
