"""Requests of callers without rights or good will: each is refused in its protocol's form, holds up nobody, and leaves
no error in the log.
"""

import base64
import json
import socket
import ssl
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.faults.machine import children
from tests.instances import ADMIN, provision
from tests.loop_lag import MOST_LAG, MOST_MEMORY, PeakMemory, served_lag
from tests.serving import Served
from tests.unit.security.hostile import base64url, hostile_tokens, nested, with_raw

HEADER = {"alg": "RS256", "kid": "k"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(
        tmp_path_factory.mktemp("hostile") / "home",
        server_services="identity,jobs,control,farm,portal",
        jobs_startup_cache="false",
    )
    running.start()
    yield running
    running.close()


@pytest.fixture(scope="module")
def farm(served: Served) -> str:
    """Of which the administrator may write the data."""
    path = f"/identity/applications/{served.administrator['clientId']}"
    headers = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    mine = served.public.get(path, headers=headers).raise_for_status().json()
    instance = provision(served)
    instance.assign(mine["objectId"], ADMIN)
    return instance.uri.rstrip("/")


@pytest.fixture(autouse=True)
def log(served: Served) -> Iterator[None]:
    """Nothing that a client does is an error of the service's."""
    before = served.log.stat().st_size
    yield
    # What was asked last is answered, and what is told of it written.
    time.sleep(0.3)
    with served.log.open() as opened:
        opened.seek(before)
        errors = [line for line in opened if '"level":"error"' in line or "Traceback" in line]
    assert not errors, errors[:3]


def openers(served: Served, farm: str) -> dict[str, tuple[str, str]]:
    """An operation of each service, and where its answer has its words."""
    return {
        "jobs": (f"{served.url}/livy/batches", "msg"),
        "jobs, private": (f"{served.private_url}/batches", "msg"),
        "storage": (f"{served.url}/storage/-/-/a", "msg"),
        "administration": (f"{served.url}/identity/applications", "msg"),
        "audit": (f"{served.url}/audit/entries", "msg"),
        "control": (f"{served.url}/subscriptions?api-version=2020-01-01", "error"),
        "farm": (f"{farm}/parties?api-version=2022-11-01-preview", "error"),
    }


def test_nested_tokens_are_401_in_each_form(served: Served, farm: str) -> None:
    claims = json.loads(base64_of(served.token().split(".")[1]))
    header = {**HEADER, "kid": json.loads(base64_of(served.token().split(".")[0]))["kid"]}
    tokens = [
        f"{base64url(with_raw(header, 'z', raw))}.{base64url(json.dumps(claims).encode())}.AAAA"
        for raw in nested()
    ]
    tokens += [
        text
        for _, text in hostile_tokens(header, claims, lambda _: b"signature")
        if text.isascii() and text.isprintable() and len(text) < 60_000
    ][::23]
    with served.client() as client:
        for name, (url, member) in openers(served, farm).items():
            for token in tokens:
                answer = client.get(url, headers={"Authorization": f"Bearer {token}"})
                assert answer.status_code == 401, (name, token[:200], answer.text)
                assert member in answer.json(), name


def base64_of(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def test_hostile_assertions_are_refused(served: Served) -> None:
    tenant, client_id = served.administrator["tenantId"], served.administrator["clientId"]
    url = f"{served.url}/{tenant}/oauth2/v2.0/token"
    claims = {
        "iss": client_id,
        "sub": client_id,
        "aud": url,
        "exp": int(time.time()) + 60,
        "jti": "j",
        "nbf": 0,
    }
    header = {"alg": "PS256", "x5t#S256": "AAAA", "kid": "k"}
    with served.client() as client:
        for name, text in hostile_tokens(header, claims, lambda _: b"signature"):
            form = {
                "grant_type": "client_credentials",
                "client_id": client_id,
                "scope": "https://farmbeats.azure.net/.default",
                "client_assertion": text.encode("utf-8", "replace").decode(),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            }
            answer = client.post(url, data=form)
            assert answer.status_code in {400, 401, 413, 429}, (name, answer.text)
            assert answer.json()["error_codes"], name


def hang_up(served: Served, url: httpx.URL, sent: bytes) -> None:
    """Send it, and reset the connection."""
    opened = socket.create_connection(("127.0.0.1", url.port or 443))
    if url.scheme == "https":
        opened = ssl.create_default_context(cafile=str(served.ca)).wrap_socket(
            opened, server_hostname="localhost"
        )
    opened.sendall(sent)
    time.sleep(0.05)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    opened.close()


def test_clients_that_hang_up_are_no_errors(served: Served, farm: str, tmp_path: Path) -> None:
    """Within a body, and within an answer, at each service."""
    own, tenant = served.url, served.administrator["tenantId"]
    jobs = f"Authorization: Bearer {served.token()}\r\nX-Requested-By: tests\r\n"
    headland = f"Authorization: Bearer {served.token(f'{own}/.default')}\r\n"
    manager = f"Authorization: Bearer {served.token('https://management.azure.com/.default')}\r\n"
    data = f"Authorization: Bearer {served.token('https://farmbeats.azure.net/.default')}\r\n"
    version = "api-version=2022-11-01-preview"
    form = "Content-Type: application/x-www-form-urlencoded\r\n"
    asked = [
        ("POST", f"{own}/{tenant}/oauth2/v2.0/token", form),
        ("POST", f"{own}/{tenant}/oauth2/token", form),
        ("POST", f"{own}/livy/batches", jobs),
        ("POST", f"{own}/livy/sessions", jobs),
        ("POST", f"{served.private_url}/batches", jobs),
        ("PUT", f"{own}/storage/-/-/gone.bin", headland),
        ("POST", f"{own}/identity/applications", headland),
        ("PUT", f"{own}/subscriptions/s/resourceGroups/g?api-version=2021-04-01", manager),
        ("PATCH", f"{farm}/parties/p?{version}", f"Content-Type: application/json\r\n{data}"),
        ("POST", f"{farm}/bulk/parties?{version}", f"Content-Type: application/x-ndjson\r\n{data}"),
        (
            "PATCH",
            f"{farm}/parties/p/attachments/a?{version}",
            f"Content-Type: multipart/form-data; boundary=b\r\n{data}",
        ),
        ("POST", f"{own}/portal/sign-in", form),
        ("POST", f"{own}/nothing", ""),
    ]
    for method, address, headers in asked:
        url = httpx.URL(address)
        head = f"{method} {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.netloc.decode()}\r\n{headers}"
        for framing in ("Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n"):
            for body in ("", "{"):
                hang_up(served, url, f"{head}{framing}{body}".encode())
    big = tmp_path / "big"
    big.write_bytes(bytes(32 << 20))
    served.put(big, "big.bin")
    for path, headers in (("/openapi.json", ""), ("/livy/batches", jobs), ("/storage/-/-/big.bin", headland)):
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
        hang_up(served, httpx.URL(own), head.encode() * 20)
    # Everything was heard of by now.
    served.public.get("/health/live").raise_for_status()


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_no_request_holds_up_the_others(served: Served) -> None:
    """Of tokens, forms, certificates and refused bodies of up to a megabyte."""
    own, tenant = served.url, served.administrator["tenantId"]
    bearer = {"Authorization": f"Bearer {served.token(f'{own}/.default')}"}
    form, plain = (
        {"Content-Type": kind} for kind in ("application/x-www-form-urlencoded", "application/json")
    )
    application = f"{own}/identity/applications/{served.administrator['clientId']}"
    token = f"{own}/{tenant}/oauth2/v2.0/token"
    nest = base64url(with_raw(HEADER, "z", b"[" * 5000 + b"]" * 5000))
    texts = (
        "-----BEGIN A-----" * 3850,
        "-----BEGIN A-----" * 58_000,
        "-----BEGIN CERTIFICATE-----\n" * 2300,
        "A" * 990_000,
    )
    asked = [
        *(
            (f"{application}/certificates", json.dumps({"certificate": text}).encode(), plain | bearer)
            for text in texts
        ),
        (f"{own}/livy/batches", b"{}", {"Authorization": f"Bearer {nest}.e30.AAAA"}),
        (token, b"client_assertion=" + b"a." * 30_000, form),
        (token, b"a=b&" * 250_000, form),
        (f"{own}/identity/applications", b"[" * 1_000_000, plain | bearer),
        (f"{own}/livy/batches", b"x" * 1_000_000, plain),
    ]
    assert served.process is not None
    pids = [served.process.pid]
    for pid in pids:
        pids += children(pid)
    peaks = [PeakMemory(pid) for pid in pids]
    with served.client() as health, served.client() as client:
        for number, (url, body, headers) in enumerate(asked):

            def ask(url: str = url, body: bytes = body, headers: dict[str, str] = headers) -> int:
                return client.post(url, content=body, headers=headers).status_code

            assert 400 <= ask() < 500, number
            assert served_lag(health, ask, attempts=6) < MOST_LAG, number
    assert max(peak.more() for peak in peaks) < MOST_MEMORY
