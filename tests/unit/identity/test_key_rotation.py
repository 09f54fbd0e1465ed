"""A key's life, by the clock alone."""

from dataclasses import replace

import pytest

from headland.identity.key_rotation import (
    CLOCKS_DIFFER,
    next_due,
    published_until,
    retirement_due,
    signing,
    state,
    successor_due,
)
from headland.identity.records import KeyRecord
from headland.settings import IdentitySettings

HOUR = 3_600_000
SETTINGS = IdentitySettings(key_lifetime=100 * 3600, key_overlap=24 * 3600)


def key(kid: str, activates_at: int) -> KeyRecord:
    return KeyRecord(kid, "{}", "pem", activates_at, activates_at, None, 3600)


OLD, NEW = key("old", 0), key("new", 10 * HOUR)
BOTH = [NEW, OLD]


@pytest.mark.parametrize(
    ("now", "signs"), [(0, OLD), (10 * HOUR - 1, OLD), (10 * HOUR, NEW), (99 * HOUR, NEW), (-5, OLD)]
)
def test_one_key_signs_at_a_time(now, signs):
    assert signing(BOTH, now) == signs


def test_states():
    assert [state(each, BOTH, 0) for each in BOTH] == ["pending", "signing"]
    assert [state(each, BOTH, 10 * HOUR) for each in BOTH] == ["signing", "retired"]


def test_a_key_without_private_half_never_signs():
    assert signing([replace(NEW, private_key=None), OLD], 20 * HOUR) == OLD


def test_a_key_is_retired_once_no_clock_has_it_sign_any_more():
    assert retirement_due(BOTH) == [(10 * HOUR + CLOCKS_DIFFER, OLD)]
    assert retirement_due([NEW, replace(OLD, private_key=None, retired_at=0)]) == []


def test_a_retired_key_is_published_until_its_last_token_has_expired():
    assert published_until(OLD) is None
    assert published_until(replace(OLD, retired_at=7, longest_lifetime=3600)) == 7 + HOUR + CLOCKS_DIFFER


def test_a_successor_is_published_so_early_that_verifiers_know_it_in_time():
    assert successor_due([OLD], SETTINGS) == 76 * HOUR
    assert successor_due(BOTH, SETTINGS) == 86 * HOUR
    assert successor_due([OLD], IdentitySettings(key_lifetime=0)) is None


def test_the_next_thing_due_is_the_earliest():
    assert next_due([OLD], SETTINGS) == 76 * HOUR
    assert next_due(BOTH, SETTINGS) == 10 * HOUR + CLOCKS_DIFFER
    assert next_due([OLD], IdentitySettings(key_lifetime=0)) is None
