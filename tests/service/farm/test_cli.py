"""`headland farm`, on the real service in this process."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import Result
from tests.service.farm.conftest import Directory
from tests.service.farm.in_process import InProcess

from headland.cli.farm import parts
from headland.farm import Stores

RECORDS = [
    {"family": "parties", "document": {"id": "elm", "name": "Elm"}},
    {"family": "farms", "document": {"id": "north", "partyId": "elm"}},
    {"family": "farms", "document": {"id": "south", "partyId": "elm"}},
]


def text(*documents: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in documents)


def test_in_and_out_and_in_again(
    headland: Callable[..., Result], tmp_path: Path, directory: Directory, stores: Stores
) -> None:
    source, taken, again = tmp_path / "in.ndjson", tmp_path / "out.ndjson.gz", tmp_path / "again.ndjson"
    source.write_text(text(*RECORDS))
    done = headland("farm", "import", "meadow", source)
    assert (done.exit_code, done.stdout) == (0, "3 created, 0 updated, 0 unchanged, 0 refused.\n"), (
        done.output
    )
    done = headland("farm", "export", "meadow", taken, "--records")
    assert (done.exit_code, done.stdout) == (0, f"{taken}: 3 lines\n")
    directory.assign("admin", "admin", "orchard")
    done = headland("farm", "import", "orchard", taken, "--restore", "--json")
    assert json.loads(done.stdout) == {"lines": 3, "created": 3, "updated": 0, "unchanged": 0, "refused": 0}
    assert headland("farm", "export", "orchard", again, "--records", "--quiet").stdout == ""
    assert again.read_bytes() == gzip.decompress(taken.read_bytes())


def test_a_family_by_pipes(headland: Callable[..., Result]) -> None:
    documents = text({"id": "elm"}, {"id": "oak"})
    assert headland("farm", "import", "meadow", "--family", "parties", input=documents).exit_code == 0
    shown = headland("farm", "export", "meadow", "--family", "parties")
    assert [json.loads(line)["id"] for line in shown.stdout.splitlines()] == ["elm", "oak"]
    assert headland("farm", "import", "meadow", "--family", "barns", input=documents).exit_code == 4


def test_refused_lines_are_shown_or_kept(headland: Callable[..., Result], tmp_path: Path) -> None:
    documents = text({"id": "elm"}, *({"id": "?"} for _ in range(25)))
    done = headland("farm", "import", "meadow", "--family", "parties", input=documents)
    assert done.exit_code == 1
    assert done.stdout == "1 created, 0 updated, 0 unchanged, 25 refused.\n"
    told = done.stderr.splitlines()
    assert told[0].startswith("line 2 (parties): id: '?' is no id")
    assert len(told) == 21
    assert "5 more" in told[-1]
    report = tmp_path / "refused.ndjson"
    kept = headland("farm", "import", "meadow", "--family", "parties", "--refused", report, input=documents)
    assert kept.stderr == ""
    assert [json.loads(line)["line"] for line in report.read_text().splitlines()] == list(range(2, 27))


def test_create_refuses_what_is_there(headland: Callable[..., Result]) -> None:
    for code in (0, 1):
        done = headland("farm", "import", "meadow", "--create", input=text(*RECORDS))
        assert done.exit_code == code
    assert done.stdout == "0 created, 0 updated, 0 unchanged, 3 refused.\n"


def test_parts_go_one_after_the_other(
    headland: Callable[..., Result], transport: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MOST_LINES", 2)
    documents = text(*({"id": f"p{n}"} for n in range(5)), {"id": "?"})
    done = headland("farm", "import", "meadow", "--family", "parties", "--from-line", "2", input=documents)
    assert done.stdout == "4 created, 0 updated, 0 unchanged, 1 refused.\n"
    assert done.stderr.startswith("line 6 ")
    assert [request.url.params["firstLine"] for request in transport.requests] == ["2", "4", "6"]


def test_an_import_goes_on_after_a_fault(
    headland: Callable[..., Result], transport: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MOST_LINES", 2)
    documents = text(*({"id": f"p{n}"} for n in range(5)))
    transport.faults = [(1, httpx.ReadError("gone"))]
    done = headland("farm", "import", "meadow", "--family", "parties", input=documents)
    # The second part's answer was lost: its lines were there already when they came again.
    assert done.stdout == "3 created, 2 updated, 0 unchanged, 0 refused.\n"
    assert "still trying" in done.stderr


def test_where_it_can_be_gone_on_with_is_said(
    headland: Callable[..., Result], transport: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MOST_LINES", 2)
    documents = text(*({"id": f"p{n}"} for n in range(5)))
    transport.faults = [(1, httpx.ReadError("gone"))]
    done = headland("farm", "import", "meadow", "--family", "parties", "--create", input=documents)
    assert done.exit_code == 6
    assert "lines up to 2 are in; go on with --from-line 3" in done.stderr


def test_files_that_can_not_be_read(headland: Callable[..., Result], tmp_path: Path) -> None:
    assert headland("farm", "import", "meadow", tmp_path / "none").exit_code == 2
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(text({"id": "elm"}).encode())[:-4])
    assert headland("farm", "import", "meadow", broken).exit_code == 2
    assert headland("farm", "export", "meadow", tmp_path / "no" / "folder", "--records").exit_code == 1
    assert headland("farm", "export", "meadow").exit_code == 2
