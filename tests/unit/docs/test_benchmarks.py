"""What is measured is told of, and the results on record have the form that is told."""

from pathlib import Path

import pytest
from benchmarks import harness
from benchmarks.__main__ import BENCHMARKS
from benchmarks.harness import Aim, Yardstick


def test_every_benchmark_is_told_of(repository: Path) -> None:
    page = (repository / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for benchmark in BENCHMARKS:
        assert f"\n### {benchmark.name}\n" in page
        assert benchmark.summary


def test_results_on_record_agree_with_themselves() -> None:
    rows = harness.read()
    assert rows
    for row in rows:
        assert row.ratio == pytest.approx(row.measured / row.yardstick.measured, rel=0.01, abs=0.001)
        assert (row.aim is None) == (row.holds is None)


@pytest.mark.parametrize(
    ("aim", "ratio", "holds"),
    [
        (Aim(least=0.6), 0.6, True),
        (Aim(least=0.6), 0.59, False),
        (Aim(most=2.0), 2.0, True),
        (Aim(most=2.0), 2.01, False),
    ],
)
def test_an_aim_holds_at_its_bound(aim: Aim, ratio: float, *, holds: bool) -> None:
    made = harness.row("a", "ms", ratio, Yardstick("b", 1.0), aim)
    assert made.holds is holds


@pytest.mark.parametrize(("measured", "holds"), [(0.99, True), (1.0, True), (1.01, False)])
def test_an_aim_may_be_for_what_is_measured(*, measured: float, holds: bool) -> None:
    made = harness.row("a", "s", measured, Yardstick("b", 0.1), Aim(measured_most=1.0))
    assert (made.holds, made.aim) == (holds, "measured <= 1.0")


def test_measures_take_turns_and_give_their_medians() -> None:
    order: list[str] = []
    first, second = iter((1.0, 9.0, 2.0)), iter((5.0, 4.0, 6.0))

    def measure(name: str, values: object) -> float:
        order.append(name)
        return next(values)  # type: ignore[call-overload]

    medians = harness.interleaved(3, lambda: measure("a", first), lambda: measure("b", second))
    assert medians == [2.0, 5.0]
    assert order == ["a", "b"] * 3
