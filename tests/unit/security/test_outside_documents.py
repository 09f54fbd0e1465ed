"""What a provider may answer, and where it may lead: nowhere but where the settings say."""

import json
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from headland.security.outside.documents import IssuerUnavailableError, fetch_keys, may_be_called
from headland.security.outside.keys import KeySetError, published_keys
from headland.settings import Home, IssuerSettings, SettingsError, load_settings

METADATA = "/.well-known/openid-configuration"
KEY = {**RSAKey.generate_key(2048).as_dict(private=False), "kid": "a"}


class Web:
    """A web server on loopback, and whom it saw asking for what."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append(self.path)
                status, headers, body = web.pages.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Not among the tests' output."""

        self.server = ThreadingHTTPServer(("localhost", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, path: str, document: object, status: int = 200, **headers: str) -> None:
        self.pages[path] = (status, headers, json.dumps(document).encode())


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    made.put(METADATA, {"issuer": made.url, "jwks_uri": f"{made.url}/keys"})
    made.put("/keys", {"keys": [KEY]})
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def elsewhere() -> Iterator[Web]:
    made = Web()
    made.put("/keys", {"keys": [KEY]})
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_keys_are_fetched(web: Web) -> None:
    assert set(fetch_keys(IssuerSettings(web.url), 5).by_kid) == {"a"}
    assert web.asked == [METADATA, "/keys"]


def test_another_origin_is_asked_only_where_the_settings_allow_it(web: Web, elsewhere: Web) -> None:
    web.put(METADATA, {"issuer": web.url, "jwks_uri": f"{elsewhere.url}/keys"})
    with pytest.raises(IssuerUnavailableError, match="origin that the settings don't allow"):
        fetch_keys(IssuerSettings(web.url), 5)
    assert elsewhere.asked == []
    fetch_keys(IssuerSettings(web.url, jwks_origins=(elsewhere.url,)), 5)
    assert elsewhere.asked == ["/keys"]


def test_redirections_are_not_followed(web: Web, elsewhere: Web) -> None:
    web.put("/keys", {}, 302, location=f"{elsewhere.url}/keys")
    with pytest.raises(IssuerUnavailableError, match="answered 302"):
        fetch_keys(IssuerSettings(web.url), 5)
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({"issuer": "https://other.example", "jwks_uri": "x"}, "another issuer"),
        ({"jwks_uri": "x"}, "another issuer"),
        ({"issuer": "OWN"}, "no jwks_uri"),
        ({"issuer": "OWN", "jwks_uri": "file:///etc/passwd"}, "origin"),
        ({"issuer": "OWN", "jwks_uri": "http://169.254.169.254/keys"}, "origin"),
        ({"issuer": "OWN", "jwks_uri": "http://[::1"}, "origin"),
        ([], "JSON object"),
    ],
)
def test_other_metadata_are_refused(web: Web, metadata: object, text: str) -> None:
    if isinstance(metadata, dict) and metadata.get("issuer") == "OWN":
        metadata = {**metadata, "issuer": web.url}
    web.put(METADATA, metadata)
    with pytest.raises(IssuerUnavailableError, match=text):
        fetch_keys(IssuerSettings(web.url), 5)


@pytest.mark.parametrize("body", [b"<html>", b"\xff", b"[" * 100_000, b"", b'{"keys": 7}', b" " * 2_000_000])
def test_what_is_no_key_set_is_refused(web: Web, body: bytes) -> None:
    web.pages["/keys"] = (200, {}, body)
    with pytest.raises(IssuerUnavailableError):
        fetch_keys(IssuerSettings(web.url), 5)


def test_nobody_there_is_an_error_like_any_other() -> None:
    with pytest.raises(IssuerUnavailableError):
        fetch_keys(IssuerSettings("http://127.0.0.1:9"), 1)
    with pytest.raises(IssuerUnavailableError):
        fetch_keys(IssuerSettings("https://127.0.0.1:9", ca_file="/nowhere"), 1)


def test_only_keys_that_verify_are_taken_and_nothing_private() -> None:
    rsa, ec = RSAKey.generate_key(2048), ECKey.generate_key("P-256")
    entries = [
        {**rsa.as_dict(private=True), "kid": "rsa"},
        {**ec.as_dict(private=False), "kid": "ec"},
        rsa.as_dict(private=False),
        {**rsa.as_dict(private=False), "kid": "for encryption", "use": "enc"},
        {**rsa.as_dict(private=False), "kid": "for signing", "key_ops": ["sign"]},
        {**ECKey.generate_key("P-384").as_dict(private=False), "kid": "another curve"},
        {**OctKey.generate_key(256).as_dict(private=True), "kid": "a shared secret"},
        {"kty": "RSA", "kid": "broken", "n": "!", "e": 7},
        {"kty": "EC", "crv": "P-256", "kid": "off the curve", "x": "AA", "y": "AA"},
        {"kid": 7},
        "text",
    ]
    found = published_keys({"keys": entries})
    assert set(found.by_kid) == {"rsa", "ec"}
    assert not any("d" in entry for entry in found.entries)
    assert not found.by_kid["rsa"].is_private
    with pytest.raises(KeySetError):
        published_keys({"keys": [{}] * 101})


def test_short_keys_are_passed_over() -> None:
    for size, taken in ((256, {"a"}), (255, set()), (128, set())):
        modulus = urlsafe_b64encode(b"\xc1" * size).decode().rstrip("=")
        entry = {"kty": "RSA", "kid": "a", "n": modulus, "e": "AQAB"}
        assert set(published_keys({"keys": [entry]}).by_kid) == taken


def test_plain_http_is_for_this_machine_alone(tmp_path) -> None:
    assert may_be_called("https://login.example/keys")
    assert may_be_called("http://localhost:1/keys")
    assert not may_be_called("http://login.example/keys")
    assert not may_be_called("http://localhost.login.example/keys")
    home = Home(tmp_path)
    for issuers, text in (
        ([{"issuer": "http://login.example"}], r"issuers\[0\].issuer must be an https address"),
        ([{"issuer": "https://a.example"}] * 2, r"issuers\[1\].issuer is there twice"),
        ([{"issuer": "https://a.example", "algorithms": ["HS256"]}], "algorithms"),
        ([{"issuer": "https://a.example", "algorithms": ["none"]}], "algorithms"),
        ([{}], "issuer"),
    ):
        with pytest.raises(SettingsError, match=text):
            load_settings(home, {"HEADLAND_SECURITY_ISSUERS": json.dumps(issuers)})
    loaded = load_settings(home, {"HEADLAND_SECURITY_ISSUERS": '[{"issuer": "http://127.0.0.1:1"}]'})
    assert loaded.security.issuers == (IssuerSettings("http://127.0.0.1:1"),)
