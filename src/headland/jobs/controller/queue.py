"""Who is next? The waiting are taken on in order, within the limits of the node, of owners and of queues."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from heapq import heapify, heappop, heappush

from sqlalchemy import Connection

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store, submission, waiting
from headland.jobs.batches.waiting import Group
from headland.jobs.controller.warm import WarmDrivers
from headland.settings import JobsSettings


class Queue:
    """The waiting batches, and the places that this node has for them.

    Whether the node is `full` is known without looking: only the end of a batch of this node's makes a place.
    """

    def __init__(
        self, database: Database, node: str, settings: JobsSettings, drivers: WarmDrivers | None = None
    ) -> None:
        self._database = database
        self._drivers = drivers
        self._node = node
        self._settings = settings
        self._grouped = bool(settings.max_running_per_owner) or any(
            queue.max_running for queue in settings.queues.values()
        )
        self.full = False
        #: Batches on this node when last looked, and places left.
        self.running = self.free = 0

    def take(self, now: int) -> list[int]:
        """Take on as many as there is place for; their ids, once that is on record.

        Raises:
            DatabaseUnavailableError: none was taken on, or which ones is to be seen in the rows.
        """
        taken: list[int] = []
        while True:
            free, chosen = self._database.read(self._choose)
            claimed = self._take(chosen, now) if chosen else []
            taken += claimed
            self.running, self.free = self.running + len(claimed), free - len(claimed)
            if claimed == chosen:
                self.full = len(claimed) >= free
                return taken
            # Some were deleted, killed or taken meanwhile: others get their places.

    def _choose(self, connection: Connection) -> tuple[int, list[int]]:
        here, detached = waiting.running(connection, self._node)
        self.running = len(here)
        free = self._free(len(here), len(detached))
        if free <= 0:
            return free, []
        if not self._grouped:
            return free, waiting.first(connection, free)
        heads, following = waiting.heads(connection), partial(waiting.following, connection)
        return free, choose(self._settings, free, [*here, *detached], heads, following)

    def _free(self, here: int, detached: int) -> int:
        """Places of this node. What runs on a cluster out of sight takes none, and has a limit of its own."""
        free = self._settings.max_running - here
        return min(free, self._settings.max_detached - here - detached) if detached else free

    def _take(self, chosen: list[int], now: int) -> list[int]:
        """Claim those, each with a driver that stands ready for it where there is one; those that were to be had."""
        run_keys = self._drivers_for(chosen)
        try:
            claim = partial(self._claim, chosen=chosen, run_keys=run_keys, now=now)
            claimed: list[int] = self._database.write_and_wait(claim)
        except DatabaseUnavailableError:
            # Whether the batch has it is not known: it must not become another's.
            for run_key in run_keys.values():
                self._give(run_key, back=False)
            raise
        for batch_id in run_keys.keys() - set(claimed):
            self._give(run_keys[batch_id], back=True)
        return claimed

    def _drivers_for(self, chosen: list[int]) -> dict[int, str]:
        """Run keys of drivers for batches: these are theirs from now on."""
        if self._drivers is None:
            return {}
        rows = self._database.read(lambda connection: [store.get(connection, each) for each in chosen])
        taken = {row.id: self._drivers.take(submission.decode(row.request)) for row in rows if row}
        return {batch_id: run_key for batch_id, run_key in taken.items() if run_key is not None}

    def _give(self, run_key: str, *, back: bool) -> None:
        if self._drivers is not None:
            (self._drivers.give_back if back else self._drivers.give_up)(run_key)

    def _claim(
        self, connection: Connection, chosen: list[int], run_keys: Mapping[int, str], now: int
    ) -> list[int]:
        return [
            batch_id
            for batch_id in chosen
            if store.claim(connection, batch_id, self._node, now, run_keys.get(batch_id))
        ]


def choose(
    settings: JobsSettings,
    free: int,
    running: Iterable[Group],
    heads: Mapping[Group, int],
    following: Callable[[Group, int], int | None],
) -> list[int]:
    """Ids of those that may run now in `free` places, in order. `heads` has the first of each group that waits,
    `following` the next in a group. A group whose owner or queue has all it may have is passed over; it holds up
    nobody else.
    """
    groups = list(running)
    owners = Counter(group.owner for group in groups)
    queues = Counter(group.queue for group in groups)
    line = [(batch_id, group) for group, batch_id in heads.items()]
    heapify(line)
    chosen: list[int] = []
    while line and len(chosen) < free:
        batch_id, group = heappop(line)
        limit = settings.queues.get(group.queue)
        if _reached(owners[group.owner], settings.max_running_per_owner) or (
            limit is not None and _reached(queues[group.queue], limit.max_running)
        ):
            continue
        chosen.append(batch_id)
        owners[group.owner] += 1
        queues[group.queue] += 1
        if (after := following(group, batch_id)) is not None:
            heappush(line, (after, group))
    return chosen


def _reached(count: int, limit: int) -> bool:
    """Whether a limit is reached; 0 is none."""
    return 0 < limit <= count
