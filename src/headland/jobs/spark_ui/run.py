"""What Spark's pages are made from."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """A batch or session, for whoever may view it."""

    #: In words: `batch 7`.
    name: str
    #: The folder of its event logs.
    events: Path
    #: Where its driver's own UI is, while it has one.
    ui: str | None
