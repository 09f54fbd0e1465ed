"""How far a batch has come, by what Spark has written of it."""

import threading
from collections import OrderedDict
from pathlib import Path

from headland.jobs.batches.events import ApplicationEvents
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.wire import Progress

#: Event logs whose reading goes on where it stopped.
MOST_FOLLOWED = 64


class ProgressReader:
    """Progress of batches; a batch that is asked after again costs only what is new. For several threads."""

    def __init__(self) -> None:
        self._followed: OrderedDict[Path, ApplicationEvents] = OrderedDict()
        self._lock = threading.Lock()

    def progress(self, row: BatchRow, folder: Path) -> Progress:
        """Progress of `row`, whose event log is in `folder`."""
        with self._lock:
            events = self._followed.setdefault(folder, ApplicationEvents(folder))
            self._followed.move_to_end(folder)
            if len(self._followed) > MOST_FOLLOWED:
                self._followed.popitem(last=False)
            events.refresh()
            stages = events.stages()
        return Progress(
            id=row.id,
            state=State(row.state),
            tasks=sum(stage.tasks for stage in stages),
            completed=sum(stage.completed for stage in stages),
            failed=sum(stage.failed for stage in stages),
            active=sum(stage.active for stage in stages),
            stages=stages,
        )
