"""What Headland asks of a cluster that runs applications out of its sight: a resource manager's answers.

On a local master the runner's process is the application. In cluster mode it is not: `spark-submit` ends when
the manager has taken the application, and from then on only the manager knows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Phase(StrEnum):
    """How far a manager says that an application is."""

    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    KILLED = "killed"

    @property
    def final(self) -> bool:
        return self in {Phase.SUCCEEDED, Phase.FAILED, Phase.KILLED}


@dataclass(frozen=True, slots=True)
class Application:
    """An application as its manager knows it."""

    #: The manager's own id of it (a YARN application, a standalone driver, a Kubernetes driver pod): what it
    #: is killed by.
    handle: str
    phase: Phase
    #: Spark's application id, once there is one.
    app_id: str | None = None
    driver_log_url: str | None = None
    spark_ui_url: str | None = None
    #: Where the driver runs, and as whom; None where the manager does not tell.
    host: str | None = None
    user: str | None = None
    #: Milliseconds since the epoch.
    started_at: int | None = None
    finished_at: int | None = None
    #: What the manager says of an end, in words.
    diagnostics: str = ""


class ManagerUnreachableError(Exception):
    """The manager does not answer now. That says nothing about any application: it is asked again later."""


class UndecidedError(ManagerUnreachableError):
    """The manager answers, but can't tell yet whether it has the application."""


class ResourceManager(Protocol):
    """A cluster's manager. Every call may raise ManagerUnreachableError."""

    def find(self, tag: str, handle: str | None) -> Application | None:
        """The application that was submitted with `tag`, or that bears `handle` where that is known."""
        ...

    def kill(self, application: Application) -> None:
        """Have it stopped. Returns when the manager has taken the wish; one that has ended stays as it is."""
        ...

    def clear_away(self, tag: str) -> None:
        """Have stopped what the cluster still has of an application whose driver was on this node and has ended. Most
        of it goes by itself when the driver does.
        """
        ...

    def driver_log(self, application: Application) -> Iterator[bytes]:
        """What the driver has written, as far as the manager lets it be read; pieces of any size."""
        ...


def tag_of(run_key: str) -> str:
    """The tag under which a batch's application is submitted, by which its manager finds it again."""
    return f"headland-{run_key}"
