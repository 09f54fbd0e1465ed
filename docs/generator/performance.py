"""`performance.md`: what was measured last, from the benchmarks' results on record."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator.markdown import page, table

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"

_INTRODUCTION = """\
What `make bench` measured last, on two cores of a shared machine. A figure of one machine says little on
another, so each stands beside a yardstick that took turns with it in the same run: **the ratio is what counts**.
More is better for rates, less for times and memory. An aim that is missed stays in the table."""

_REPEAT = """\
```bash
make bench                                  # all of them, a few minutes; have nothing else run meanwhile
.venv/bin/python -m benchmarks --list       # their names
.venv/bin/python -m benchmarks reading      # some
make docs                                   # this page anew
```

What each row means, how it is taken and what its yardstick is: [benchmarks/README.md](../benchmarks/README.md)."""


_COLUMNS = ("What", "Measured", "Yardstick", "", "Ratio", "Aim")


def performance_page() -> str:
    """The page."""
    return page(
        "Performance",
        _INTRODUCTION,
        table(_COLUMNS, _rows()),
        "## Measure again",
        _REPEAT,
    )


def measured(about: str) -> str:
    """The table of rows whose names begin with a word, without it."""
    beginning = f"{about}, "
    return table(
        _COLUMNS,
        ((row[0].removeprefix(beginning), *row[1:]) for row in _rows() if row[0].startswith(beginning)),
    )


def _rows() -> Iterator[tuple[str, ...]]:
    for row in json.loads(RESULTS.read_text(encoding="utf-8")):
        yardstick = row["yardstick"]
        yield (
            row["name"],
            _amount(row["measured"], row["unit"]),
            yardstick["name"],
            _amount(yardstick["measured"], row["unit"]),
            f"{row['ratio']:.2f}",
            _aim(row),
        )


def _amount(value: float, unit: str) -> str:
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{shown} {unit}"


def _aim(row: dict[str, Any]) -> str:
    if row["aim"] is None:
        return ""
    wanted = row["aim"].removeprefix("ratio ").replace(">=", "≥").replace("<=", "≤")
    return wanted if row["holds"] else f"{wanted}: missed"
