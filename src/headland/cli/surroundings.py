"""What commands take from the world outside: tests hand in their own through click's context."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from headland.cli.profile import Profile, current_profile

if TYPE_CHECKING:
    import httpx

    from headland.cli.service import Service


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Network and time."""

    #: Takes the place of the network.
    transport: "httpx.BaseTransport | None" = None
    #: Seconds since the epoch.
    now: Callable[[], float] = time.time
    #: Seconds by a clock that nobody sets.
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def surroundings() -> Surroundings:
    """Those of the command that runs."""
    return click.get_current_context().find_object(Surroundings) or Surroundings()


@contextmanager
def open_service(profile: Profile | None = None) -> "Iterator[Service]":
    """The service that `profile`, or else the current one, names."""
    from headland.cli.service import Service  # noqa: PLC0415 - httpx costs more to import than all the rest

    with Service(profile or current_profile(), surroundings()) as service:
        yield service
