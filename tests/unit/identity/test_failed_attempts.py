from headland.identity.failed_attempts import MOST_REMEMBERED, FailedAttempts, SignInAttempts


class Monotonic:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_so_many_are_answered_at_once_and_as_many_more_each_minute():
    clock = Monotonic()
    attempts = FailedAttempts(6, clock)
    assert [attempts.failed("c", None) for _ in range(7)] == [None] * 6 + [10]
    clock.now += 9
    assert attempts.failed("c", None) == 1
    clock.now += 1
    assert attempts.failed("c", None) is None
    assert attempts.failed("c", None) == 10
    clock.now += 60
    assert [attempts.failed("c", None) for _ in range(7)] == [None] * 6 + [10]


def test_wait_does_not_grow_with_the_attempts():
    attempts = FailedAttempts(6, Monotonic())
    assert {attempts.failed("c", None) for _ in range(1000)} == {None, 10}


def test_addresses_count_beside_clients_and_four_times_as_far():
    attempts = FailedAttempts(1, Monotonic())
    assert [attempts.failed(None, "192.0.2.1") for _ in range(5)] == [None] * 4 + [15]
    assert attempts.failed("c", "192.0.2.1") == 15
    assert [attempts.failed("c", "192.0.2.2") for _ in range(2)] == [None, 60]


def test_addresses_of_one_ipv6_network_count_as_one():
    attempts = FailedAttempts(1, Monotonic())
    told = [attempts.failed(None, f"2001:db8::{number:x}") for number in range(1, 6)]
    assert told == [None] * 4 + [15]
    assert attempts.failed(None, "2001:db8:0:1::1") is None


def test_names_that_are_no_addresses_count_as_they_are():
    attempts = FailedAttempts(1, Monotonic())
    assert [attempts.failed(None, "testclient") for _ in range(5)][-1] == 15


def test_zero_sets_no_limit():
    attempts = FailedAttempts(0, Monotonic())
    assert {attempts.failed("c", "192.0.2.1") for _ in range(1000)} == {None}


def test_only_so_many_are_remembered():
    attempts = FailedAttempts(1, Monotonic())
    for number in range(2 * MOST_REMEMBERED):
        attempts.failed(None, f"name-{number}")
    assert len(attempts._addresses._levels) == MOST_REMEMBERED


def test_what_an_address_is_not_answered_for_counts_against_no_client():
    attempts = FailedAttempts(2, Monotonic())
    for number in range(8):
        attempts.failed(f"other-{number}", "192.0.2.1")
    assert attempts.failed("c", "192.0.2.1") is not None
    assert [attempts.failed("c", "192.0.2.2") for _ in range(3)] == [None, None, 30]


def test_one_address_does_not_use_up_what_an_account_allows():
    attempts = SignInAttempts(10, Monotonic())
    told = [attempts.add("ada", "192.0.2.1") for _ in range(1000)]
    assert told[:6] == [None] * 5 + [12]
    assert attempts.add("ada", "192.0.2.2") is None


def test_an_account_is_tried_so_often_from_wherever_it_is():
    attempts = SignInAttempts(10, Monotonic())
    told = [attempts.add("ada", f"192.0.2.{number}") for number in range(100)]
    assert told.count(None) == 10
    assert attempts.add("eve", "192.0.2.1") is None


def test_a_known_device_has_limits_of_its_own():
    attempts = SignInAttempts(3, Monotonic())
    for number in range(100):
        attempts.add("ada", f"192.0.2.{number}")
        attempts.add("", "192.0.2.1")
    assert attempts.add("ada", "192.0.2.1") is not None
    assert [attempts.add("ada", "192.0.2.1", "laptop") for _ in range(4)] == [None, None, None, 20]
    assert attempts.add("eve", "192.0.2.3", "laptop") is None
