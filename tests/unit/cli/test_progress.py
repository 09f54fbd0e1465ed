"""Bars for bytes on their way."""

import io

import pytest
from rich.console import Console

from headland.cli import progress


@pytest.mark.parametrize("size", [0, 2_007, 5_000_000_000])
def test_a_bar_is_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    shown = io.StringIO()
    terminal = Console(file=shown, force_terminal=True, width=80)
    monkeypatch.setattr(progress, "console", lambda **_: terminal)
    name = "2/2 part-00000-266fdb32-8103-418c-8fa7-9a9afaea8dc6-c000.snappy.parquet"
    with progress.transfer(name, size, quiet=False) as advance:
        advance(size)
    # The one behind it.
    assert shown.getvalue().count("\n") == 1
