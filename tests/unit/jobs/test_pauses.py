"""Pauses between attempts at what fails: they grow, have an end, and are forgotten when it goes well."""

import pytest

from headland.jobs.controller.pauses import FIRST, LONGEST, Pauses


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_who_never_failed_need_not_wait(clock):
    pauses = Pauses(clock)
    assert pauses.over(1)
    assert not pauses.went_well(1)


def test_each_pause_is_twice_the_one_before_up_to_the_longest(clock):
    pauses, lengths = Pauses(clock), []
    for _ in range(9):
        pauses.failed(1, "disk")
        began = clock.now
        while not pauses.over(1):
            clock.now += 0.5
        lengths.append(clock.now - began)
    assert lengths == [FIRST, 2, 4, 8, 16, 32, LONGEST, LONGEST, LONGEST]
    assert pauses.over(2)


def test_a_reason_is_news_once(clock):
    pauses = Pauses(clock)
    assert pauses.failed(1, "disk")
    assert not pauses.failed(1, "disk")
    assert pauses.failed(2, "disk")
    assert pauses.failed(1, "network")
    assert not pauses.failed(1, "network")


def test_success_ends_it(clock):
    pauses = Pauses(clock)
    pauses.failed(1, "disk")
    pauses.failed(1, "disk")
    assert pauses.went_well(1)
    assert pauses.over(1)
    assert pauses.failed(1, "disk")
    clock.now += FIRST
    assert pauses.over(1)
