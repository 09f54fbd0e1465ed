"""What an instance's requests may use in a while."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.service.farm.conftest import PUBLIC_URL, Caller, Clock, Directory
from tests.service.farm.test_refusals import check

from headland.farm.errors import ThrottledError
from headland.farm.throttling import Throttle, Units, cost_of

DATA = "Microsoft.AgFoodPlatform/farmBeats"
READ, WRITE, CASCADE = f"{DATA}/parties/read", f"{DATA}/parties/write", f"{DATA}/deletionJobs/parties/write"


@pytest.mark.parametrize(
    ("action", "cost"),
    [
        ("parties/read", (1, False)),
        ("parties/list/action", (1, False)),
        ("boundaries/search/action", (1, False)),
        ("deletionJobs/parties/read", (1, False)),
        ("parties/write", (5, False)),
        ("parties/delete", (5, False)),
        ("bulk/restore", (5, False)),
        ("deletionJobs/parties/write", (2, True)),
    ],
)
def test_costs(action: str, cost: tuple[int, bool]) -> None:
    assert cost_of(f"{DATA}/{action}") == cost


def test_so_many_at_once_and_as_many_more_each_minute(tmp_path: Path, clock: Clock) -> None:
    throttle = Throttle(Units(a_minute=30), tmp_path, clock)
    assert [throttle.take("one", WRITE) for _ in range(5)] == [5] * 5
    assert [throttle.take("one", READ) for _ in range(5)] == [1] * 5
    with pytest.raises(ThrottledError) as refused:
        throttle.take("one", WRITE)
    assert refused.value.wait == 10
    assert throttle.take("two", WRITE) == 5
    clock.now += 9
    with pytest.raises(ThrottledError):
        throttle.take("one", WRITE)
    clock.now += 1
    assert throttle.take("one", WRITE) == 5
    clock.now += 3600
    assert [throttle.take("one", WRITE) for _ in range(6)] == [5] * 6


def test_the_longer_window_counts_too(tmp_path: Path, clock: Clock) -> None:
    throttle = Throttle(Units(a_minute=30, in_five_minutes=40), tmp_path, clock)
    for _ in range(6):
        throttle.take("one", WRITE)
    clock.now += 60
    throttle.take("one", WRITE)
    for _ in range(2):
        throttle.take("one", WRITE)
    with pytest.raises(ThrottledError, match="40 units in 300 seconds"):
        throttle.take("one", WRITE)


def test_jobs_have_units_of_their_own(tmp_path: Path, clock: Clock) -> None:
    throttle = Throttle(Units(of_jobs=4), tmp_path, clock)
    assert throttle.take("one", WRITE) is None
    assert [throttle.take("one", CASCADE) for _ in range(2)] == [2, 2]
    with pytest.raises(ThrottledError) as refused:
        throttle.take("one", CASCADE)
    assert refused.value.wait == 150


def test_what_costs_more_than_there_ever_is_has_its_turn(tmp_path: Path, clock: Clock) -> None:
    throttle = Throttle(Units(a_minute=3), tmp_path, clock)
    assert throttle.take("one", WRITE) == 5
    with pytest.raises(ThrottledError) as refused:
        throttle.take("one", WRITE)
    clock.now += refused.value.wait
    assert throttle.take("one", WRITE) == 5


def _take(folder: Path, count: int, taken: "multiprocessing.Queue[int]") -> None:
    throttle, done = Throttle(Units(a_minute=1000), folder, Clock()), 0
    for _ in range(count):
        try:
            throttle.take("one", READ)
            done += 1
        except ThrottledError:
            pass
    taken.put(done)


def test_processes_count_together(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    taken: multiprocessing.Queue[int] = context.Queue()
    processes = [context.Process(target=_take, args=(tmp_path, 400, taken)) for _ in range(4)]
    for process in processes:
        process.start()
    done = [taken.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert sum(done) == 1000


class TestByHttp:
    """With few units."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def units(self) -> Units:
        return Units(a_minute=12, of_jobs=2)

    async def test_what_is_too_much_is_refused(self, admin: Caller, clock: Clock) -> None:
        made = await admin("PATCH", "/parties/p1", json={})
        assert (made.status_code, made.headers["x-ms-throttle-information"]) == (201, "5")
        assert (await admin("GET", "/parties")).headers["x-ms-throttle-information"] == "1"
        assert (await admin("PATCH", "/parties/p1", json={})).status_code == 200
        refused = await admin("PATCH", "/parties/p1", json={"name": "never"})
        assert "12 units in 60 seconds" in check(refused, 429, "TooManyRequests")
        wait = int(refused.headers["retry-after"])
        assert wait == 20
        assert (await admin("GET", "/parties/p1")).status_code == 200
        clock.now += wait + 10
        assert (await admin("GET", "/parties/p1")).json().get("name") is None
        assert (await admin("PATCH", "/parties/p1", json={"name": "now"})).status_code == 200

    async def test_jobs(self, admin: Caller) -> None:
        await admin.make("/parties/p1")
        path = "/parties/cascade-delete/"
        for job, status in (("j1", 202), ("j2", 429)):
            assert (await admin("PUT", path + job, params={"partyId": "p1"})).status_code == status

    async def test_an_instance_has_its_own(
        self, admin: Caller, caller: Callable[..., Caller], directory: Directory
    ) -> None:
        for _ in range(2):
            await admin("PATCH", "/parties/p1", json={})
        assert (await admin("PATCH", "/parties/p1", json={})).status_code == 429
        directory.assign("admin", "admin", "orchard")
        orchard = caller(base=f"{PUBLIC_URL}/farm/orchard")
        assert (await orchard("PATCH", "/parties/p1", json={})).status_code == 201

    async def test_who_is_not_let_in_uses_nothing(self, admin: Caller, caller: Callable[..., Caller]) -> None:
        for _ in range(20):
            assert (await caller("stranger")("GET", "/parties")).status_code == 403
        assert (await admin("PATCH", "/parties/p1", json={})).status_code == 201


@pytest.mark.anyio
async def test_without_a_limit_nothing_is_said(admin: Caller) -> None:
    assert "x-ms-throttle-information" not in (await admin("GET", "/parties")).headers
