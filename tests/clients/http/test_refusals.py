"""Refusals of large bodies arrive, as what they are, at clients that send first and read then, and at those that read
while they send.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.clients.peers import is_missing
from tests.instances import ADMIN, provision
from tests.serving import PATIENCE, Served

DRIVERS = Path(__file__).parent / "drivers"
#: Where requests and aiohttp are.
PYTHON = Path(__file__).parent.parent / "farm/.environments/python/bin/python"

MB = 1_000_000
#: More than the limit of bodies, which is 1 MiB.
LARGER, LARGE, LARGEST = 1_100_000, 5 * MB, 50 * MB

JSON = {"Content-Type": "application/json"}

#: What came of each request: a status, or what the client said instead.
Sender = Callable[[list[dict[str, Any]]], list[int | str]]


@dataclass(frozen=True)
class Refused:
    """A request, and what is answered."""

    name: str
    status: int
    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(
        tmp_path_factory.mktemp("refusals") / "home",
        server_services="identity,jobs,control,farm,portal",
        storage_max_upload="1000000",
    )
    running.start()
    yield running
    running.close()


@pytest.fixture(scope="module")
def refused(served: Served) -> list[Refused]:
    """One at least of each service that takes bodies, and of each status."""
    jobs, own = (
        {"Authorization": served.public.headers["Authorization"], "X-Requested-By": "tests"},
        served.url,
    )
    headland = {"Authorization": f"Bearer {served.token(f'{own}/.default')}"}
    made = served.public.post("/identity/applications", json={"name": "stranger"}, headers=headland).json()
    path = f"/identity/applications/{made['clientId']}/secrets"
    secret = served.public.post(path, json={}, headers=headland).raise_for_status().json()["secret"]
    stranger = {
        scope: {"Authorization": f"Bearer {served.token(scope, made['clientId'], secret)}"}
        for scope in (f"{own}/.default", "https://farmbeats.azure.net/.default")
    }
    no_right, no_role = stranger.values()
    mine = served.public.get(f"/identity/applications/{served.administrator['clientId']}", headers=headland)
    instance = provision(served)
    instance.assign(mine.json()["objectId"], ADMIN)
    farm = instance.uri.rstrip("/")
    role = {"Authorization": f"Bearer {served.token('https://farmbeats.azure.net/.default')}"}
    version = "api-version=2022-11-01-preview"
    token = f"{own}/{served.administrator['tenantId']}/oauth2/v2.0/token"
    return [
        Refused("jobs", 401, "POST", f"{own}/livy/batches", JSON),
        Refused("jobs, private", 401, "POST", f"{served.private_url}/batches", JSON),
        Refused("administration", 403, "POST", f"{own}/identity/applications", {**JSON, **no_right}),
        Refused("nothing", 404, "POST", f"{own}/nothing/here"),
        Refused("jobs", 405, "PUT", f"{own}/livy/batches", jobs),
        Refused("jobs", 413, "POST", f"{own}/livy/batches", {**JSON, **jobs}),
        Refused(
            "import",
            415,
            "POST",
            f"{farm}/bulk/parties?{version}",
            {"Content-Type": "text/plain", **role},
        ),
        # From here on only to see that every service does as the others.
        Refused("jobs, private", 413, "POST", f"{served.private_url}/batches", {**JSON, **jobs}),
        Refused("storage", 401, "PUT", f"{own}/storage/-/-/a.bin"),
        Refused("storage", 413, "PUT", f"{own}/storage/-/-/a.bin", headland),
        Refused("token", 405, "PUT", token),
        Refused("token", 413, "POST", token, {"Content-Type": "application/x-www-form-urlencoded"}),
        Refused("farm", 401, "PATCH", f"{farm}/parties/p?{version}", JSON),
        Refused("farm", 403, "PATCH", f"{farm}/parties/p?{version}", {**JSON, **no_role}),
        Refused("attachments", 401, "PATCH", f"{farm}/parties/p/attachments/a?{version}"),
        Refused("import", 401, "POST", f"{farm}/bulk/parties?{version}"),
        Refused(
            "control", 401, "PUT", f"{own}/subscriptions/s/resourceGroups/g?api-version=2021-04-01", JSON
        ),
        Refused(
            "portal",
            413,
            "POST",
            f"{own}/portal/sign-in",
            {"Content-Type": "application/x-www-form-urlencoded"},
        ),
    ]


#: How many of them are tried in all sizes.
THOROUGHLY = 7


def run(command: list[str], requests: list[dict[str, Any]], served: Served) -> list[int | str]:
    environment = {
        "PATH": os.environ["PATH"],
        "NODE_EXTRA_CA_CERTS": str(served.ca),
        "SSL_CERT_FILE": str(served.ca),
    }
    ended = subprocess.run(
        command,
        input=json.dumps({"ca": str(served.ca), "requests": requests}),
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return list(json.loads(ended.stdout))


def by_python(client: str, python: str) -> Callable[[Served, Path], Sender]:
    def sender(served: Served, _folder: Path) -> Sender:
        if not Path(python).exists():
            is_missing(f"{client} is not installed: run `make clients`")
        return lambda requests: run([python, str(DRIVERS / "send.py"), client], requests, served)

    return sender


def by_node(client: str) -> Callable[[Served, Path], Sender]:
    def sender(served: Served, _folder: Path) -> Sender:
        node = shutil.which("node")
        if node is None:
            is_missing("node is not installed")
        return lambda requests: run([node, str(DRIVERS / "send.mjs"), client], requests, served)

    return sender


def by_go(version: str) -> Callable[[Served, Path], Sender]:
    def sender(served: Served, folder: Path) -> Sender:
        go = shutil.which("go")
        if go is None:
            is_missing("go is not installed")
        program = folder / "send"
        subprocess.run([go, "build", "-o", program, DRIVERS / "send.go"], check=True)
        return lambda requests: run([str(program), version], requests, served)

    return sender


def by_curl(version: str) -> Callable[[Served, Path], Sender]:
    def sender(served: Served, folder: Path) -> Sender:
        if shutil.which("curl") is None:
            is_missing("curl is not installed")

        def send(asked: dict[str, Any]) -> int | str:
            body = folder / "body"
            with body.open("wb") as opened:
                opened.truncate(asked["size"])
            command = ["curl", "--silent", "--show-error", version, "--cacert", str(served.ca)]
            command += ["--output", os.devnull, "--write-out", "%{http_code}", "--request", asked["method"]]
            headers = dict(asked["headers"])
            if not asked["expect"]:
                headers["Expect"] = ""
            if asked["chunked"] and version == "--http1.1":
                headers["Transfer-Encoding"] = "chunked"
            for name, value in headers.items():
                command += ["--header", f"{name}: {value}"]
            ended = subprocess.run(
                [*command, "--data-binary", f"@{body}", asked["url"]],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            return int(ended.stdout) if ended.returncode == 0 else ended.stderr

        return lambda requests: [send(asked) for asked in requests]

    return sender


CLIENTS = {
    "requests": by_python("requests", str(PYTHON)),
    "httpx": by_python("httpx", sys.executable),
    "aiohttp": by_python("aiohttp", str(PYTHON)),
    "node": by_node("request"),
    "node-fetch": by_node("fetch"),
    "node-http2": by_node("http2"),
    "go": by_go("1"),
    "go-http2": by_go("2"),
    "curl": by_curl("--http1.1"),
    "curl-http2": by_curl("--http2"),
}
#: Those that can announce a body and wait whether it is wanted.
EXPECTING = {"aiohttp", "node", "go", "curl"}


def ways(client: str, number: int, status: int) -> Iterator[tuple[int, bool, bool]]:
    """Sizes, and whether the body is sent in chunks, and announced."""
    yield LARGE, False, False
    if number < THOROUGHLY:
        yield LARGER, False, False
        yield LARGEST, False, False
        if status in {401, 413}:
            yield LARGE, True, False
            if client in EXPECTING:
                yield LARGE, False, True


@pytest.mark.parametrize("client", CLIENTS)
def test_refusal_of_a_large_body_arrives(
    client: str, served: Served, refused: list[Refused], tmp_path: Path
) -> None:
    send = CLIENTS[client](served, tmp_path)
    if client == "node-http2":
        refused = [each for each in refused if each.url.startswith("https")]
    tried = [
        (each, size, chunked, expect)
        for number, each in enumerate(refused)
        for size, chunked, expect in ways(client, number, each.status)
    ]
    came = send(
        [
            {
                "method": each.method,
                "url": each.url,
                "headers": each.headers,
                "size": size,
                "chunked": chunked,
                "expect": expect,
            }
            for each, size, chunked, expect in tried
        ]
    )
    wrong = [
        (each.name, each.status, size, chunked, expect, said)
        for (each, size, chunked, expect), said in zip(tried, came, strict=True)
        if said != each.status
    ]
    assert not wrong
