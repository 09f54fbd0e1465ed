"""Each claim of `docs/compatibility.md` has a state, and what works has a witness that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: Of the tables of claims; others have other heads.
_HEADS = ("| feature |", "| client |")


def _rows() -> list[list[str]]:
    found, inside = [], False
    for line in (ROOT / "docs" / "compatibility.md").read_text().splitlines():
        if not line.startswith("|"):
            inside = False
        elif line.startswith(_HEADS):
            inside = True
        elif inside and not line.startswith("| ---"):
            found.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return found


ROWS = _rows()


def test_there_are_claims() -> None:
    assert len(ROWS) > 150


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_claim_is_witnessed(row: list[str]) -> None:
    _feature, state, witness = row
    assert re.match(r"works?\b|differs on purpose: |not yet|experimental: ", state), state
    if not witness:
        assert re.search(r"not yet|experimental|by hand|not taken", state), f"{state}: no witness"
        return
    for named in witness.split(", "):
        file, _, test = named.partition("::")
        path = ROOT / "tests" / file
        assert path.exists(), named
        if test:
            assert f"def {test}(" in path.read_text(), named
        elif path.is_dir():
            assert any(path.glob("test_*.py")), named
