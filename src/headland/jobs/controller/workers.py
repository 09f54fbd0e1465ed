"""Steps by several threads: one at a time for each batch, and none is asked for in vain."""

import threading
from collections import deque
from collections.abc import Callable

#: Of the threads, those that are kept free of steps that can wait.
RESERVED = 2


class Workers:
    """Threads that do `work` for the batches that are handed in.

    Who is handed in again while waiting is not queued twice. Who is handed in while being worked on gets
    another turn afterwards: what called for it may have come too late for the step under way.
    """

    def __init__(self, work: Callable[[int], None], threads: int) -> None:
        """`work` must not raise."""
        self._work = work
        self._changed = threading.Condition()
        self._urgent: deque[int] = deque()
        self._patient: deque[int] = deque()
        self._waiting: set[int] = set()
        self._busy: set[int] = set()
        self._again: dict[int, bool] = {}
        self._patient_busy = 0
        self._most_patient = max(1, threads - RESERVED)
        self._closing = False
        self._threads = [
            threading.Thread(target=self._run, name=f"batch-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def add(self, batch_id: int, *, patient: bool = False) -> None:
        """Have a batch worked on. The `patient` wait for those that are not, and never take all threads."""
        with self._changed:
            if batch_id in self._busy:
                self._again[batch_id] = patient and self._again.get(batch_id, True)
            elif batch_id not in self._waiting:
                self._waiting.add(batch_id)
                (self._patient if patient else self._urgent).append(batch_id)
                self._changed.notify()

    def close(self, *, wait: bool) -> None:
        """Begin no more steps; those under way are waited for or not."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads if wait else ():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not (self._closing or self._urgent or self._patient_may_go()):
                    self._changed.wait()
                if self._closing:
                    return
                patient = not self._urgent
                batch_id = (self._patient if patient else self._urgent).popleft()
                self._waiting.discard(batch_id)
                self._busy.add(batch_id)
                self._patient_busy += patient
            self._work(batch_id)
            with self._changed:
                self._busy.discard(batch_id)
                self._patient_busy -= patient
                again = self._again.pop(batch_id, None)
                if self._patient:
                    self._changed.notify()
            if again is not None:
                self.add(batch_id, patient=again)

    def _patient_may_go(self) -> bool:
        return bool(self._patient) and self._patient_busy < self._most_patient
