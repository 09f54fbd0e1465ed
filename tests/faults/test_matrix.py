"""Every fault at every point of a batch's and a session's life, as real processes; only Java and a session's Python
are smaller programs here.
"""

import pytest
from tests.faults import machine
from tests.faults.points import POINTS, Scene
from tests.faults.sessions import SESSION_POINTS
from tests.faults.truths import UNHURT, check_ended, check_gone, truth
from tests.serving import eventually

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("point", POINTS)
def test_a_batch_ends_as_is_true(struck: Scene, point: str, request: pytest.FixtureRequest) -> None:
    fault = request.node.callspec.params["struck"]
    held = struck.batches[point]
    if point == "deleting":
        check_gone(struck, held)
    else:
        check_ended(struck, held, truth(point, fault))


@pytest.mark.parametrize("point", SESSION_POINTS)
def test_a_session_is_as_is_true(struck: Scene, point: str, request: pytest.FixtureRequest) -> None:
    struck.sessions.check(point, request.node.callspec.params["struck"])


def test_everything_acknowledged_is_listed_once(struck: Scene) -> None:
    listed = struck.served.public.get("/livy/batches", params={"size": 1000}).json()
    kept = [held.id for point, held in struck.batches.items() if point != "deleting"]
    kept += [held.id for held in struck.others]
    assert [item["id"] for item in listed["sessions"]] == sorted(kept)
    assert listed["total"] == len(kept)
    sessions = struck.served.public.get("/livy/sessions").json()["sessions"]
    assert [item["id"] for item in sessions] == sorted(
        held.notebook.id for held in struck.sessions.held.values()
    )


def test_no_process_is_left(struck: Scene) -> None:
    """Neither of a batch, nor one that has ended and that the controller did not collect."""
    controller = machine.controller(struck.served)
    eventually(lambda: machine.uncollected(controller) == [], "ended runners are collected", 3.0)
    for held in struck.others:
        check_ended(struck, held, UNHURT)


def test_processes_of_others_are_not_touched(struck: Scene) -> None:
    assert [stranger.poll() for stranger in struck.strangers] == [None] * len(struck.strangers)


def test_the_next_batch_runs(struck: Scene) -> None:
    held = struck.submit()
    struck.served.wait(held.id)
    check_ended(struck, held, UNHURT)
