"""Requests of callers without rights or good will: each is refused in its protocol's form, holds up nobody, and leaves
no error in the log.
"""

import base64
import contextlib
import http.client
import json
import socket
import sqlite3
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


def pids_of(served: Served) -> list[int]:
    """Of all its processes, but for programs that these run now and then, such as an installer."""
    assert served.process is not None
    pids = [served.process.pid]
    for pid in pids:
        pids += [child for child in children(pid) if serves(child)]
    return pids


def serves(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"headland\0serve\0" in Path("/proc", str(pid), "cmdline").read_bytes()
    return False


#: A request: method, path (of the private listener where it has no service's prefix), body, headers.
Request = tuple[str, str, bytes, dict[str, str]]

PLAIN = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
UNKNOWN = json.dumps({f"k{number}": 1 for number in range(60_000)}).encode()
NESTED = b'{"a":' * 150_000


def batch(**members: object) -> bytes:
    return json.dumps({"file": "wasbs:///a.py", **members}).encode()


def of_jobs() -> dict[str, Request]:
    def post(what: str, body: bytes, **headers: str) -> Request:
        return "POST", f"/livy/{what}", body, {**PLAIN, **headers}

    def environment(requirements: str) -> Request:
        return post("environments", json.dumps({"name": "a", "requirements": requirements}).encode())

    many = {f"k{number}": "" for number in range(60_000)}
    jars = [f"wasbs:///{number}.jar" for number in range(10_000)]
    return {
        "configuration": post("batches", batch(conf=many)),
        "configuration of a session": post("sessions", json.dumps({"conf": many}).encode()),
        "jars": post("batches", batch(jars=jars)),
        "jars in configuration": post("batches", batch(conf={"spark.jars": "a," * 450_000})),
        "arguments": post("batches", batch(args=[1] * 300_000)),
        "a path up and up": post("batches", batch(file="/" + "../" * 320_000)),
        "a path down and down": post("batches", batch(file="wasbs:///" + "a/" * 480_000)),
        "a class": post("batches", batch(file="wasbs:///a.jar", className="a." * 480_000)),
        "a name": post("batches", batch(name="n" * 990_000)),
        "a queue": post("batches", batch(queue="n" * 990_000)),
        "members in members": post("batches", NESTED),
        "unknown members": post("batches", UNKNOWN),
        "numbers at the edge": post("batches", b'{"args":[' + b"1e299," * 140_000 + b"1]}"),
        "a number beyond, and others": post("batches", b'{"args":[1e999' + b",1" * 450_000 + b"]}"),
        "a number beyond, deep down": post(
            "batches", (b'{"%b":' % (b"a" * 80)) * 300 + b"[1e999" + b",1" * 450_000 + b"]" + b"}" * 300
        ),
        "a key": post("batches", b"{}", **{"Idempotency-Key": '"' + "\\\\" * 30_000 + '"'}),
        "a media type": post("batches", b"{}", **{"Content-Type": "application/json" + ";a=b" * 15_000}),
        "extras": environment("a[" + "b," * 125_000 + "]"),
        "versions": environment("a" + ">=1," * 60_000),
        "brackets": environment("a;" + "(" * 250_000),
        "a few brackets": environment("a;" + "(" * 4_000),
        "lines": environment("a\n" * 130_000),
        "lines that go on": environment("a\\\n" * 85_000),
        "lines with extras": environment("\n".join("a[" + "b," * 100 + "c]>=1" for _ in range(1_000))),
        "a part of names": ("GET", "/livy/batches?nameContains=" + "%25_" * 15_000, b"", {}),
        "states": ("GET", "/livy/sessions?" + "state=idle&" * 5_000, b"", {}),
        "a number": ("GET", "/livy/batches?from=" + "9" * 60_000, b"", {}),
        "a large page": ("GET", "/livy/batches?size=2147483647", b"", {}),
        "pages, private": ("GET", "/batches?size=2147483647&from=-1", b"", {}),
        "media types, private": ("GET", "/batches/1/log", b"", {"Accept": "a," * 30_000}),
        "a version, private": ("GET", "/batches", b"", {"Accept": "application/vnd.livy.v" + "a" * 60_000}),
        "an owner, private": ("GET", "/batches?owner=" + "a" * 60_000, b"", {}),
    }


def of_administration() -> dict[str, Request]:
    asked: dict[str, Request] = {}
    for path in ("/identity/applications", "/identity/tenants", "/identity/people"):
        asked[f"{path}, unknown members"] = ("POST", path, UNKNOWN, PLAIN)
        asked[f"{path}, a name"] = ("POST", path, json.dumps({"name": "n" * 990_000}).encode(), PLAIN)
        asked[f"{path}, members in members"] = ("POST", path, NESTED, PLAIN)
    return {
        **asked,
        "audit, a target": ("GET", "/audit/entries?target=" + "%25" * 20_000, b"", {}),
        "audit, a moment": ("GET", "/audit/entries?since=" + "2" * 60_000, b"", {}),
        "audit, a size": ("GET", "/audit/entries?size=" + "9" * 60_000, b"", {}),
        "audit, parameters": ("GET", "/audit/entries?" + "a=b&" * 16_000, b"", {}),
        "audit, an entry": ("GET", "/audit/verification?expect=" + "1" * 60_000, b"", {}),
        "storage, a path": ("PUT", "/storage/-/-/" + "a/" * 30_000 + "a", b"x", {}),
        "storage, a folder": ("PUT", "/storage/file-system/entries/-/-/" + "a/" * 30_000 + "a", b"", {}),
        "storage, a prefix": ("GET", "/storage/-/-?prefix=" + "a/" * 30_000, b"", {}),
        "storage, a marker": ("GET", "/storage/-/-?marker=" + "%41" * 20_000, b"", {}),
        "storage, ranges": ("GET", "/storage/-/-/a", b"", {"Range": "bytes=" + "0-1," * 15_000}),
    }


def of_control(served: Served) -> dict[str, Request]:
    with served.client(served.token("https://management.azure.com/.default")) as client:
        found = client.get("/subscriptions?api-version=2020-01-01").raise_for_status().json()
    subscription = f"/subscriptions/{found['value'][0]['subscriptionId']}"
    group = f"{subscription}/resourceGroups/a?api-version=2021-04-01"
    roles = f"{subscription}/providers/Microsoft.Authorization/roleAssignments"
    tags = {f"k{number}": "v" for number in range(60_000)}
    place = {"location": "westus2"}
    return {
        "tags": ("PUT", group, json.dumps({**place, "tags": tags}).encode(), PLAIN),
        "tags, merged": ("PATCH", group, json.dumps({"tags": tags}).encode(), PLAIN),
        "properties": ("PUT", group, b'{"location":"westus2","properties":' + b'{"a":' * 140_000, PLAIN),
        "a location": ("PUT", group, json.dumps({"location": "w" * 990_000}).encode(), PLAIN),
        "a role": (
            "PUT",
            f"{roles}/12345678-1234-1234-1234-123456789012?api-version=2022-04-01",
            json.dumps({"properties": {"roleDefinitionId": "/a" * 450_000, "principalId": "a"}}).encode(),
            PLAIN,
        ),
        "a filter": ("GET", f"{roles}?api-version=2022-04-01&$filter=" + "%20eq%20" * 7_000, b"", {}),
        "a token": ("GET", f"{group}&$skiptoken=" + "A" * 60_000, b"", {}),
        "a path": ("GET", subscription + "/providers/Microsoft.AgFoodPlatform" * 1_500, b"", {}),
    }


def of_browsers(served: Served) -> dict[str, Request]:
    token = f"/{served.administrator['tenantId']}/oauth2/v2.0/token"
    boundary = {"Content-Type": "multipart/form-data; boundary=a"}
    part = b'--a\r\nContent-Disposition: form-data; name="b"\r\n\r\n\r\n'
    return {
        "a form of fields": ("POST", "/portal/sign-in", b"a=b&" * 50_000, FORM),
        "a form of nothing": ("POST", "/portal/sign-in", b"&" * 260_000, FORM),
        "a form of signs": ("POST", "/portal/sign-in", b"name=" + b"%25" * 80_000, FORM),
        "a form of parts": ("POST", "/portal/sign-in", part * 15_000, boundary),
        "cookies": ("GET", "/portal/", b"", {"Cookie": "a=b;" * 15_000}),
        "a cookie in quotation marks": ("GET", "/portal/", b"", {"Cookie": 'a="' + "\\" * 60_000 + '"'}),
        "a way back": ("GET", "/portal/sign-in?going_to=" + "%41" * 20_000, b"", {}),
        "a token's query": ("POST", f"{token}?" + "a=b&" * 15_000, b"grant_type=a", FORM),
        "a token's scope": ("POST", token, b"grant_type=a&scope=" + b"a+" * 200_000, FORM),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
@pytest.mark.parametrize("service", ["jobs", "administration", "control", "browsers"])
def test_no_request_to_a_service_holds_up_the_others(served: Served, service: str) -> None:
    """Of callers who are let in."""
    asked = {
        "jobs": of_jobs,
        "administration": of_administration,
        "control": lambda: of_control(served),
        "browsers": lambda: of_browsers(served),
    }[service]()
    scopes = {"control": "https://management.azure.com/.default", "administration": f"{served.url}/.default"}
    bearer = served.token(scopes[service]) if service in scopes else served.token()
    own = {} if service == "browsers" else {"Authorization": f"Bearer {bearer}", "X-Requested-By": "tests"}
    pids = pids_of(served)
    peaks = [PeakMemory(pid) for pid in pids]
    slow = {}
    with (
        served.client() as health,
        served.client() as client,
        httpx.Client(base_url=served.private_url) as private,
    ):
        for name, (method, path, body, headers) in asked.items():
            is_private = path.startswith("/batches")

            def ask(request: Request = (method, path, body, headers), is_private: bool = is_private) -> int:
                method, path, body, headers = request
                url = (served.private_url if is_private else served.url) + path
                return client.request(method, url, content=body, headers=own | headers).status_code

            assert ask() < 500, name
            lag = served_lag(private if is_private else health, ask, pids)
            if lag >= MOST_LAG:
                slow[name] = lag
    assert not slow
    assert max(peak.more() for peak in peaks) < MOST_MEMORY


@pytest.mark.parametrize("private", [True, False])
def test_heads_have_a_length(served: Served, private: bool) -> None:
    context = ssl.create_default_context(cafile=str(served.ca))
    path = "/batches" if private else "/livy/batches"
    many = {f"x-{number}": "y" * 1_000 for number in range(80)}
    for target, headers, status in (
        (path + "/a" * 100_000, {}, 414),
        (f"{path}?" + "a=b&" * 50_000, {}, 414),
        (path, many, 431),
    ):
        connection = (
            http.client.HTTPConnection("127.0.0.1", served.private_port)
            if private
            else http.client.HTTPSConnection("localhost", served.port, context=context)
        )
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        told = answer.read()
        assert answer.status == status
        # An address that is too long does not reach the service.
        assert status == 414 or json.loads(told) == {"msg": "The headers are longer than 65536 bytes."}
        connection.close()


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
    pids = pids_of(served)
    peaks = [PeakMemory(pid) for pid in pids]
    with served.client() as health, served.client() as client:
        for number, (url, body, headers) in enumerate(asked):

            def ask(url: str = url, body: bytes = body, headers: dict[str, str] = headers) -> int:
                return client.post(url, content=body, headers=headers).status_code

            assert 400 <= ask() < 500, number
            assert served_lag(health, ask, pids) < MOST_LAG, number
    assert max(peak.more() for peak in peaks) < MOST_MEMORY


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
@pytest.mark.parametrize("accept", ["*/*", "text/plain"])
def test_readers_of_a_long_log_who_are_slow_cost_no_memory(
    served: Served, tmp_path: Path, accept: str
) -> None:
    program = tmp_path / "a.py"
    program.write_text("")
    served.put(program, "a.py")
    # What ran before may have left a token for something else.
    own = {"X-Requested-By": "tests", "Authorization": f"Bearer {served.token()}"}
    answer = served.public.post("/livy/batches", json={"file": "wasbs:///a.py"}, headers=own)
    id_ = answer.raise_for_status().json()["id"]
    served.public.post(f"/livy/batches/{id_}/kill", headers=own).raise_for_status()
    with sqlite3.connect(served.home / "headland.db") as database:
        ((run_key,),) = database.execute("SELECT run_key FROM batch WHERE id = ?", (id_,))
    output = served.home / "batches" / run_key / "output.log"
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as opened:
        for _ in range(208):
            opened.write(b"A line as programs write it, again and again, of 64 characters.\n" * 16_384)
    context = ssl.create_default_context(cafile=str(served.ca))
    pids = pids_of(served)
    peaks = [PeakMemory(pid) for pid in pids]
    head = (
        f"GET /livy/batches/{id_}/log?from=0&size=-1 HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
        f"Authorization: Bearer {served.token()}\r\n\r\n"
    )
    with contextlib.ExitStack() as readers:
        for _ in range(8):
            opened = socket.create_connection(("127.0.0.1", served.port))
            reader = readers.enter_context(context.wrap_socket(opened, server_hostname="localhost"))
            reader.sendall(head.encode())
            assert reader.recv(12) == b"HTTP/1.1 200"
        # In which a reader who is not slow has all of it.
        with served.client(served.token()) as client:
            path = f"/livy/batches/{id_}/log?from=0&size=-1"
            with client.stream("GET", path, headers={"Accept": accept}) as quick:
                assert sum(map(len, quick.iter_bytes())) > 208 << 20
    assert sum(peak.more() for peak in peaks) < MOST_MEMORY
    output.unlink()
