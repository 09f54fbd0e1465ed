"""Workers: one at a time for each batch, no call in vain, and room for what is urgent."""

import threading
from collections import Counter

import pytest

from headland.jobs.controller.workers import RESERVED, Workers

DEADLINE = 20.0


class Work:
    """Work that says when it begins, and goes on when it is let."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self._changed = threading.Condition()
        self._let: Counter[int] = Counter()
        self.at_once: Counter[int] = Counter()
        self.most_at_once = 0

    def __call__(self, batch_id: int) -> None:
        with self._changed:
            self.begun.append(batch_id)
            self.at_once[batch_id] += 1
            self.most_at_once = max(self.most_at_once, self.at_once[batch_id])
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._let[batch_id] > 0, DEADLINE)
            self._let[batch_id] -= 1
            self.at_once[batch_id] -= 1
            self._changed.notify_all()

    def let(self, batch_id: int, times: int = 1) -> None:
        with self._changed:
            self._let[batch_id] += times
            self._changed.notify_all()

    def await_begun(self, *batch_ids: int) -> None:
        """Wait until exactly these have begun, in any order."""
        with self._changed:
            assert self._changed.wait_for(lambda: sorted(self.begun) == sorted(batch_ids), DEADLINE), (
                self.begun
            )

    def await_idle(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: not +self.at_once, DEADLINE)


@pytest.fixture
def work() -> Work:
    return Work()


def test_different_batches_are_worked_on_at_once(work):
    workers = Workers(work, 4)
    for batch_id in range(4):
        workers.add(batch_id)
    work.await_begun(0, 1, 2, 3)
    for batch_id in range(4):
        work.let(batch_id)


def test_a_call_during_a_step_gets_one_more_step_afterwards(work):
    workers = Workers(work, 4)
    workers.add(1)
    work.await_begun(1)
    for _ in range(5):
        workers.add(1)
    workers.add(2)
    work.await_begun(1, 2)
    work.let(1, 2)
    work.await_begun(1, 1, 2)
    work.let(2)
    work.await_idle()
    workers.add(3)
    work.await_begun(1, 1, 2, 3)
    work.let(3)
    assert work.most_at_once == 1


def test_who_waits_already_is_not_queued_twice(work):
    workers = Workers(work, 1)
    workers.add(1)
    work.await_begun(1)
    for _ in range(3):
        workers.add(2)
        workers.add(3, patient=True)
    work.let(1)
    work.await_begun(1, 2)
    work.let(2)
    work.await_begun(1, 2, 3)
    work.let(3)
    work.await_idle()
    workers.add(4)
    work.await_begun(1, 2, 3, 4)
    work.let(4)


def test_the_patient_leave_threads_to_the_urgent(work):
    workers = Workers(work, RESERVED + 2)
    for batch_id in range(10):
        workers.add(batch_id, patient=True)
    work.await_begun(0, 1)
    for batch_id in (20, 21):
        workers.add(batch_id)
    work.await_begun(0, 1, 20, 21)
    workers.add(22)
    work.let(0)
    work.await_begun(0, 1, 20, 21, 22)
    for batch_id in (1, 20, 21, 22, *range(2, 10)):
        work.let(batch_id)
    work.await_begun(*range(10), 20, 21, 22)


def test_even_one_thread_gets_to_the_patient(work):
    workers = Workers(work, 1)
    workers.add(1, patient=True)
    work.await_begun(1)
    work.let(1)


def test_closed_workers_begin_nothing_more(work):
    workers = Workers(work, 1)
    workers.add(1)
    work.await_begun(1)
    workers.add(2)
    workers.close(wait=False)
    work.let(1)
    workers.close(wait=True)
    assert work.begun == [1]
