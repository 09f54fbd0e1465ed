"""Long bodies are taken apart without being read, by a process that is told what it may find."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headland.jobs.sessions import long_bodies
from headland.jobs.sessions.long_bodies import BadBodyError, piece_of, take_apart


@pytest.fixture
def body(tmp_path: Path) -> Path:
    return tmp_path / "body"


@pytest.mark.parametrize(
    "document",
    [
        {"code": "a" * 3_000_000, "kind": "sql"},
        {"kind": "sql", "code": 'print("größe \\ \U0001f33e")\n' * 50_000},
        {"code": ""},
        {"kind": "code", "code": '{"code": "x"}'},
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_text_is_handed_on_and_the_rest_is_read(
    body: Path, document: dict[str, str], *, ascii_only: bool
) -> None:
    body.write_text(json.dumps(document, ensure_ascii=ascii_only, indent=1), encoding="utf-8")
    assert take_apart(body, "code") == document | {"code": ""}
    assert json.loads(piece_of(body).read_bytes()) == document["code"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"kind": "%s", "code": "1"}' % (b"a" * 70_000), "code: a text is expected"),
        (b'{"code": [%s]}' % (b"1," * 70_000), "code: a text is expected"),
        (b"[" * 100_000, "code: a text is expected"),
        (b"[" * 60_000, "the body is not JSON: "),
        (b'{"code": "1"', "the body is not JSON: "),
        (b'{"code": "\\x"}', "the body is not JSON: "),
        (b'{"code": "a\nb"}', "the body is not JSON: "),
        (b'{"code": "\xff"}', "the body is not JSON: "),
        (b'{"code": "1"} x', "the body is not JSON: "),
        (b'["code"]', "the body is no JSON object"),
    ],
)
def test_what_is_no_such_body_is_told(body: Path, content: bytes, said: str) -> None:
    body.write_bytes(content)
    with pytest.raises(BadBodyError, match=said):
        take_apart(body, "code")


@pytest.mark.parametrize("content", [b'"\\' * 10_000_000, b'"code"' + b" " * 20_000_000, b'"' * 20_000_000])
def test_hostile_bodies_cost_seconds_at_most(body: Path, content: bytes) -> None:
    body.write_bytes(content)
    command = [sys.executable, "-m", long_bodies.__name__, str(body), "code"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("code: a text is expected")
