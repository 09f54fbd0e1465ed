"""Which instances have something to be done."""

from pathlib import Path

import pytest

from headland.farm.work.pending import SETTLED, Pending


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pending(tmp_path: Path, clock: Clock) -> Pending:
    return Pending(tmp_path / "pending", clock)


def test_nothing_is_noted_at_first(pending: Pending) -> None:
    assert pending.noted() == []
    with pending.alone("one") as alone:
        assert not alone


def test_one_at_a_time(pending: Pending, tmp_path: Path) -> None:
    other = Pending(tmp_path / "pending")
    pending.note("one")
    other.note("two")
    assert other.noted() == ["one", "two"]
    with pending.alone("one") as alone, other.alone("one") as second, other.alone("two") as elsewhere:
        assert (alone, second, elsewhere) == (True, False, True)
    with other.alone("one") as alone:
        assert alone


def test_what_is_noted_stays_for_a_while(pending: Pending, clock: Clock) -> None:
    pending.note("one")
    clock.now += SETTLED - 1
    pending.settle("one")
    assert pending.noted() == ["one"]
    pending.note("one")
    clock.now += SETTLED - 1
    pending.settle("one")
    assert pending.noted() == ["one"]
    clock.now += 2
    pending.settle("one")
    pending.settle("one")
    assert pending.noted() == []


def test_a_file_that_was_replaced_is_nobodys_lock(pending: Pending, tmp_path: Path) -> None:
    pending.note("one")
    with pending.alone("one"):
        pending.forget("one")
        pending.note("one")
        with Pending(tmp_path / "pending").alone("one") as alone:
            assert alone


def test_who_waits_is_woken(pending: Pending) -> None:
    pending.wake()
    pending.wait(60.0)
    pending.wait(0.0)
