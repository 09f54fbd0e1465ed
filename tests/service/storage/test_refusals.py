"""What the HTTP face refuses: who, what, where, and how much."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from headland.http.listener import Listener
from headland.storage import Storage, StorageDeniedError, StorageUnavailableError
from headland.storage.routes import storage_api

pytestmark = pytest.mark.anyio

EVERYTHING = [
    ("GET", "/storage/"),
    ("GET", "/storage/-/-"),
    ("PUT", "/storage/-/-/a"),
    ("GET", "/storage/-/-/a"),
    ("HEAD", "/storage/-/-/a"),
    ("DELETE", "/storage/-/-/a"),
    ("GET", "/storage/file-system/entries/-/-/a"),
    ("PUT", "/storage/file-system/entries/-/-/folder"),
    ("POST", "/storage/file-system/entries/-/-/b"),
    ("DELETE", "/storage/file-system/entries/-/-/a"),
    ("GET", "/storage/file-system/children/-/-/"),
    ("GET", "/storage/file-system/links/-/-/a"),
    ("PUT", f"/storage/file-system/parts/{'0' * 32}/-/-/a?offset=0"),
    ("POST", f"/storage/file-system/parts/{'0' * 32}/-/-/a?size=0"),
    ("DELETE", f"/storage/file-system/parts/{'0' * 32}/-/-/a"),
]


class Kept:
    """A blob that every refused request must leave as it is."""

    def __init__(self, container: Path) -> None:
        self.account = container.parent
        self._file = container / "a"
        self._file.write_bytes(b"kept")

    @property
    def content(self) -> bytes:
        return self._file.read_bytes()


@pytest.fixture(autouse=True)
def blob(storage: Storage, container: Path) -> Kept:
    return Kept(container)


@pytest.mark.parametrize(("method", "path"), EVERYTHING)
async def test_nobody_gets_in_without_a_good_token(
    anonymous: httpx.AsyncClient, token: Callable[..., str], blob: Kept, method: str, path: str
) -> None:
    header, payload, signature = token().split(".")
    other = token(oid="somebody-else").split(".")[1]
    for wrong in (
        None,
        "Basic dTpw",
        "Bearer",
        "Bearer nonsense",
        f"Bearer {token(exp=1)}",
        f"Bearer {token(aud='https://other.example')}",
        f"Bearer {token(iss='https://evil.example')}",
        f"Bearer {header}.{other}.{signature}",
        f"Bearer {header}.{payload}.",
    ):
        headers = {"authorization": wrong} if wrong else {}
        answer = await anonymous.request(method, path, headers=headers, content=b"evil")
        assert answer.status_code == 401, wrong
        assert answer.headers["www-authenticate"].startswith('Bearer realm="headland"')
        assert "kept" not in answer.text
        assert method == "HEAD" or set(answer.json()) == {"msg"}
        assert blob.content == b"kept"


async def test_every_operation_declared_is_tried_above(storage: Storage) -> None:
    declared = {(operation.method, operation.path) for operation in storage_api(storage, None, 1).operations}
    assert len(declared) == len(EVERYTHING)
    assert sorted(method for method, _ in declared) == sorted(method for method, _ in EVERYTHING)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/storage/-/-/..%2F..%2F..%2Fetc%2Fpasswd", "segment '..'"),
        ("/storage/-/-/%2e%2e/a", "segment '..'"),
        ("/storage/-/-/x/%2e%2e", "segment '..'"),
        ("/storage/-/-/x/%2e", "segment '.'"),
        ("/storage/-/-//a", "empty segment"),
        ("/storage/-/-/a/", "empty segment"),
        ("/storage/-/-/", "names no path"),
        ("/storage/-/-/a%5C..%5Cb", "backslash"),
        ("/storage/-/-/a%00", "control character"),
        ("/storage/-/-/a%0A", "control character"),
        ("/storage/-/-/%0Aa", ""),
        ("/storage/-/-/a%3Fb", "a '?'"),
        ("/storage/-/-/a%23b", "a '#'"),
        ("/storage/-/%2e%2e/a", "no container name"),
        ("/storage/-/.uploads/a", "no container name"),
        ("/storage/-/default%0A/a", "no container name"),
        ("/storage/%2e%2e/default/a", "no account name"),
        ("/storage/Headland/default/a", "no account name"),
    ],
)
async def test_a_path_is_held_to_the_rules_of_urls(
    client: httpx.AsyncClient, blob: Kept, tmp_path: Path, path: str, problem: str
) -> None:
    before = tree(tmp_path)
    for method in ("PUT", "GET", "HEAD", "DELETE"):
        answer = await client.request(method, path, content=b"evil")
        # A newline further up is no path at all.
        assert answer.status_code == (400 if problem else 404), method
        assert method == "HEAD" or not problem or problem in answer.json()["msg"]
    assert tree(tmp_path) == before
    assert blob.content == b"kept"


@pytest.mark.parametrize("path", ["/storage/-/%2e%2e", "/storage/-/.uploads", "/storage/%2e%2e/-"])
async def test_a_listing_is_held_to_them_as_well(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 400


async def test_a_path_is_decoded_once_and_not_twice(client: httpx.AsyncClient, container: Path) -> None:
    stored = await client.put("/storage/-/-/%252e%252e%252Fx", content=b"x")
    assert stored.json()["path"] == "%2e%2e%2Fx"
    assert "%2e%2e%2Fx" in tree(container)


async def test_unknown_accounts_are_answered_with_those_known(client: httpx.AsyncClient) -> None:
    for path in ("/storage/nobody/default/a", "/storage/nobody/default"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert "Known are: headland, bucketfarm" in answer.json()["msg"]


async def test_links_out_of_the_account_are_not_followed(
    client: httpx.AsyncClient, container: Path, tmp_path: Path
) -> None:
    secret(tmp_path)
    link(container / "link", tmp_path / "secret")
    link(container / "folder", tmp_path)
    for path in ("link", "folder/secret"):
        for method in ("PUT", "GET", "HEAD", "DELETE"):
            answer = await client.request(method, f"/storage/-/-/{path}", content=b"evil")
            assert answer.status_code == 409
            assert "secret!" not in answer.text
    assert (await client.get("/storage/-/-?prefix=folder/")).status_code == 409
    assert [b["path"] for b in (await client.get("/storage/-/-")).json()["blobs"]] == ["a"]
    assert secret(tmp_path) == b"secret!"


async def test_a_folder_or_a_blob_in_the_way_is_a_conflict(client: httpx.AsyncClient, blob: Kept) -> None:
    await client.put("/storage/-/-/folder/b", content=b"x")
    assert (await client.put("/storage/-/-/folder", content=b"x")).status_code == 409
    assert (await client.put("/storage/-/-/a/b", content=b"x")).status_code == 409
    assert (await client.get("/storage/-/-/folder")).status_code == 404
    assert blob.content == b"kept"


@pytest.mark.parametrize("declared", [None, "2000001"])
async def test_a_body_above_the_limit_is_refused_declared_or_not(
    app: Listener, client: httpx.AsyncClient, token: Callable[..., str], blob: Kept, declared: str | None
) -> None:
    """One without an end: what is sent after the refusal is dropped, so that it arrives, but within a bound."""
    sent = at_refusal = 0
    answers: list[dict] = []

    async def receive() -> dict:
        nonlocal sent
        sent += 1_000_000
        return {"type": "http.request", "body": bytes(1_000_000), "more_body": True}

    async def send(message: dict) -> None:
        nonlocal at_refusal
        if not answers:
            at_refusal = sent
        answers.append(message)

    length = [] if declared is None else [(b"content-length", declared.encode())]
    headers = [(b"authorization", f"Bearer {token()}".encode()), (b"transfer-encoding", b"chunked"), *length]
    await app(put(headers), receive, send)
    assert answers[0]["status"] == 413
    assert b"2000000 bytes" in b"".join(message.get("body", b"") for message in answers)
    assert at_refusal <= (0 if declared else 3_000_000)
    assert sent <= 300_000_000
    assert tree(blob.account) - {".uploads"} == {"default/a", "default"}
    assert blob.content == b"kept"
    assert (await client.put("/storage/-/-/a", content=bytes(2_000_000))).status_code == 200


def put(headers: list[tuple[bytes, bytes]]) -> dict:
    """The scope of an upload."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "https",
        "path": "/storage/-/-/a",
        "raw_path": b"/storage/-/-/a",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
    }


async def test_a_part_is_not_taken_for_the_whole(client: httpx.AsyncClient, blob: Kept) -> None:
    answer = await client.put("/storage/-/-/a", content=b"x", headers={"content-range": "bytes 0-0/5"})
    assert (answer.status_code, "Content-Range" in answer.json()["msg"]) == (400, True)
    assert blob.content == b"kept"


@pytest.mark.parametrize(
    "ending", [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]
)
async def test_a_body_that_breaks_off_stores_nothing(
    app: Listener, token: Callable[..., str], blob: Kept, ending: dict
) -> None:
    """Whether the server says that the client went, or takes it for the body's end."""
    messages = iter([{"type": "http.request", "body": b"half", "more_body": True}, ending])
    answers = []
    headers = [(b"authorization", f"Bearer {token()}".encode()), (b"content-length", b"8")]

    async def receive() -> dict:
        return next(messages)

    async def send(message: dict) -> None:
        answers.append(message)

    await app(put(headers), receive, send)
    assert answers[0]["status"] == 400
    assert blob.content == b"kept"
    assert tree(blob.account) == {".uploads", "default/a", "default"}


@pytest.mark.parametrize(
    ("error", "status"),
    [(StorageUnavailableError("farm", "no route"), 503), (StorageDeniedError("farm", "403"), 502)],
)
async def test_a_store_that_fails_has_a_status_of_its_own(
    client: httpx.AsyncClient,
    storage: Storage,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    for name in ("stat", "open", "list_blobs"):
        monkeypatch.setattr(Storage, name, fail)
    for path in ("/storage/-/-/a", "/storage/-/-"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["msg"]) == (status, str(error))


async def test_other_paths_and_methods_are_answered_in_the_same_form(client: httpx.AsyncClient) -> None:
    for method, path, status in (
        ("GET", "/storage/-", 404),
        ("POST", "/storage/-/-/a", 405),
        ("PUT", "/storage/-/-", 405),
    ):
        answer = await client.request(method, path)
        assert answer.status_code == status
        assert set(answer.json()) == {"msg"}


def tree(folder: Path) -> set[str]:
    return {os.path.relpath(entry, folder) for entry in folder.rglob("*")}


def link(place: Path, target: Path) -> None:
    place.symlink_to(target)


def secret(folder: Path) -> bytes:
    if not (folder / "secret").exists():
        (folder / "secret").write_bytes(b"secret!")
    return (folder / "secret").read_bytes()
