"""A long statement passes through without holding up anybody else, in time and in memory."""

import asyncio
import gzip
import json
import time
import tracemalloc
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.types import Message

from headland.http.bodies import BodyError
from headland.http.validation import BodyInvalidError
from headland.jobs.sessions.incoming import CodeReader
from headland.jobs.sessions.wire import StatementRequest

pytestmark = pytest.mark.anyio

MIB = 1 << 20
READER = CodeReader(MIB, 32 * MIB)

#: What pylivy's `upload` makes of a frame, and its length: quotes that are escaped twice.
CODE = f"df = spark.read.json([{json.dumps(json.dumps([{'crop': 'rye', 'n': n} for n in range(600_000)]))}])"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def request(body: bytes, encoding: str = "") -> Request:
    pieces = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]

    async def receive() -> Message:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    headers = [(b"content-encoding", encoding.encode())] if encoding else []
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


async def read(body: bytes, folder: Path, encoding: str = "") -> tuple[StatementRequest, str]:
    sent = request(body, encoding)
    async with READER.read(sent, folder / "here", "code", StatementRequest) as (wanted, code):
        return wanted, json.loads(code if isinstance(code, bytes) else code.read_bytes())


@pytest.mark.parametrize("encoding", ["", "gzip"])
@pytest.mark.parametrize("code", ["1", "", "größe" * 400_000])
async def test_code_of_any_length_arrives(tmp_path: Path, code: str, encoding: str) -> None:
    body = json.dumps({"kind": "sql", "code": code}).encode()
    wanted, found = await read(gzip.compress(body) if encoding else body, tmp_path, encoding)
    assert (wanted.kind, found) == ("sql", code)
    assert not (tmp_path / "here").exists()


async def test_a_long_one_holds_up_nobody(tmp_path: Path) -> None:
    """By the processor's time of the loop's thread, so that a busy machine does not count."""
    body = json.dumps({"code": CODE}).encode()
    assert 27 * MIB < len(body) < 32 * MIB
    pauses: list[float] = []

    async def watch() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            pauses.append(time.thread_time() - before)

    sent = request(body)
    watching = asyncio.create_task(watch())
    async with READER.read(sent, tmp_path / "here", "code", StatementRequest) as (wanted, code):
        assert isinstance(code, Path)
        assert wanted.code == ""
    watching.cancel()
    assert max(pauses) < 0.05
    sent = request(body)
    tracemalloc.start()
    async with READER.read(sent, tmp_path / "here", "code", StatementRequest):
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * MIB


@pytest.mark.parametrize("encoding", ["", "gzip"])
async def test_one_that_is_too_long_is_told_of_the_setting(tmp_path: Path, encoding: str) -> None:
    body = json.dumps({"code": "a" * 33 * MIB}).encode()
    with pytest.raises(BodyError, match=r"33554432 bytes that jobs\.max_statement allows") as error:
        await read(gzip.compress(body, 1) if encoding else body, tmp_path, encoding)
    assert error.value.status == 413
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"code": "%s", "kin": "sql"}', "kin: unknown field"),
        (b'{"code": "%s", "kind": 1}', "kind: expected string"),
        (b'{"kind": "%s"}', "code: a text is expected"),
        (b'{"code": "%s"', "the body is not JSON"),
        (b'["%s"]', "code: a text is expected"),
    ],
)
async def test_what_is_wrong_with_a_long_one_is_told(tmp_path: Path, body: bytes, said: str) -> None:
    with pytest.raises(BodyInvalidError, match=said):
        await read(body % (b"a" * 2 * MIB), tmp_path)
    assert not (tmp_path / "here").exists()


async def test_encodings_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BodyError, match="The body is not gzip"):
        await read(b"{}", tmp_path, "gzip")
    with pytest.raises(BodyError, match="ends before its gzip encoding does"):
        await read(gzip.compress(b'{"code": "1"}')[:-4], tmp_path, "gzip")
