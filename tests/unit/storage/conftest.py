"""A folder account to work on, and ways to look at it from outside."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from headland.storage.blobs import BlobInfo
from headland.storage.local.account import LocalAccount
from headland.storage.urls import BlobUrl

Put = Callable[..., Awaitable[BlobInfo]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "account"


@pytest.fixture
def account(folder: Path) -> LocalAccount:
    account = LocalAccount("farm", folder, make=True)
    account.prepare(now=0, containers=("data",))
    return account


@pytest.fixture
def put(account: LocalAccount) -> Put:
    """Store bytes: `await put("a/b.txt", b"...")`."""

    async def put(path: str, *chunks: bytes, container: str = "data", limit: int = 1 << 30) -> BlobInfo:
        return await account.upload(BlobUrl("farm", container, path), stream(*chunks), limit)

    async def stream(*chunks: bytes) -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return put


@pytest.fixture
def files(folder: Path) -> Callable[[], dict[str, bytes]]:
    """Every file of the account as the disk has it, hidden ones too, by its path; empty folders end in a slash."""

    def files() -> dict[str, bytes]:
        found = {}
        for entry in sorted(folder.rglob("*")):
            name = entry.relative_to(folder).as_posix()
            if entry.is_symlink() or entry.is_file():
                found[name] = entry.read_bytes() if entry.exists() else b""
            elif not any(entry.iterdir()) and name not in {".uploads", "data"}:
                found[name + "/"] = b""
        return found

    return files
