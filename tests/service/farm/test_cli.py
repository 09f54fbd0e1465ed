"""`headland farm`, on the real service in this process."""

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from tests.service.farm.conftest import PUBLIC_URL, Directory

from headland.cli.farm import parts
from headland.cli.main import cli
from headland.cli.surroundings import Surroundings
from headland.farm import Stores
from headland.http.listener import Listener

RECORDS = [
    {"family": "parties", "document": {"id": "elm", "name": "Elm"}},
    {"family": "farms", "document": {"id": "north", "partyId": "elm"}},
    {"family": "farms", "document": {"id": "south", "partyId": "elm"}},
]


class InProcess(httpx.BaseTransport):
    """Carries requests to the listener, and hands out tokens in the identity service's place."""

    def __init__(self, app: Listener, token: str) -> None:
        self._transport = httpx.ASGITransport(app)
        self._token = token
        self.requests: list[httpx.Request] = []
        #: Raised in the place of answers, after so many requests went through.
        self.faults: list[tuple[int, Exception]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        if request.url.path.endswith("/oauth2/v2.0/token"):
            return httpx.Response(200, json={"access_token": self._token, "expires_in": 600})
        self.requests.append(request)
        answer = asyncio.run(self._answer(request))
        if self.faults and len(self.requests) > self.faults[0][0]:
            raise self.faults.pop(0)[1]
        return answer

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        content = b"".join([chunk async for chunk in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


@pytest.fixture
def transport(app: Listener, token: Callable[..., str]) -> InProcess:
    return InProcess(app, token(aud=PUBLIC_URL))


@pytest.fixture
def headland(transport: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HEADLAND_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("HEADLAND_URL", PUBLIC_URL)
    for name in ("TENANT", "CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.setenv(f"HEADLAND_{name}", name)
    surroundings = Surroundings(transport=transport, sleep=lambda _: None)

    def run(*arguments: Any, **options: Any) -> Result:
        return CliRunner().invoke(cli, [str(each) for each in arguments], obj=surroundings, **options)

    return run


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
    done = headland("farm", "export", "meadow", taken)
    assert (done.exit_code, done.stdout) == (0, f"{taken}: 3 lines\n")
    directory.assign("admin", "admin", "orchard")
    done = headland("farm", "import", "orchard", taken, "--restore", "--json")
    assert json.loads(done.stdout) == {"lines": 3, "created": 3, "updated": 0, "unchanged": 0, "refused": 0}
    assert headland("farm", "export", "orchard", again, "--quiet").stdout == ""
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
    assert told[0].startswith("line 2 (parties): '?' is no id")
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
    assert headland("farm", "export", "meadow", tmp_path / "no" / "folder").exit_code == 1
