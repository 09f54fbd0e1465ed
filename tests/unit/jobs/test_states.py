"""The states of a batch: every state with every event."""

from itertools import product

import pytest

from headland.jobs.batches.states import FINAL, Event, IllegalMoveError, State, move

LEGAL = {
    ("starting", "program started"): "running",
    ("starting", "succeeded"): "success",
    ("starting", "failed"): "dead",
    ("starting", "was killed"): "killed",
    ("running", "succeeded"): "success",
    ("running", "failed"): "dead",
    ("running", "was killed"): "killed",
}
PAIRS = list(product(State, Event))


@pytest.mark.parametrize(("state", "event"), [pair for pair in PAIRS if pair in LEGAL])
def test_a_legal_move_leads_to_its_state(state, event):
    assert move(state, event) is State(LEGAL[state, event])


@pytest.mark.parametrize(("state", "event"), [pair for pair in PAIRS if pair not in LEGAL])
def test_any_other_move_is_refused_with_both_names(state, event):
    with pytest.raises(IllegalMoveError, match=f"a batch that is {state} can't meet '{event}'"):
        move(state, event)


def test_clients_see_these_states_and_no_other():
    assert [str(state) for state in State] == ["starting", "running", "success", "dead", "killed"]


def test_nothing_leads_out_of_a_final_state():
    assert {state for state in State if state.final} == FINAL == {State.SUCCESS, State.DEAD, State.KILLED}
    assert not {state for state, _ in LEGAL} & set(FINAL)
