"""The HTTP face with a real verifier and real tokens, on a folder account."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from headland.http.application import Application
from headland.http.listener import Listener
from headland.security import Guard, TrustedIssuer, Verifier
from headland.settings import AccountSettings, StorageSettings
from headland.storage import Storage
from headland.storage.routes import storage_app

AUDIENCE = "https://cluster.example"
ISSUER = "https://issuer.example/tenant"
MAX_UPLOAD = 2_000_000


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "one"}, private=True)


@pytest.fixture
def token(key: RSAKey) -> Callable[..., str]:
    """A signed token; named claims go before the good ones."""

    def token(**claims: Any) -> str:
        now = int(time.time())
        good = {
            "iss": ISSUER,
            "tid": "tenant",
            "oid": "object",
            "sub": "object",
            "appid": "client",
            "aud": AUDIENCE,
            "nbf": now - 1,
            "exp": now + 600,
        }
        return jwt.encode({"alg": "RS256", "kid": "one"}, {**good, **claims}, key)

    return token


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    settings = StorageSettings(
        accounts={"bucketfarm": AccountSettings("s3://bucket", {"secret_access_key": "TOPSECRET"})}
    )
    storage = Storage(settings, tmp_path / "storage")
    storage.prepare()
    return storage


@pytest.fixture
def container(tmp_path: Path) -> Path:
    """The default container's folder."""
    return tmp_path / "storage/headland/default"


@pytest.fixture
def app(storage: Storage, key: RSAKey) -> Listener:
    issuer = TrustedIssuer(
        issued=lambda iss, tid: (iss, tid) == (ISSUER, "tenant"),
        key=lambda kid: key if kid == "one" else None,
    )
    guard = Guard(Verifier([issuer]), frozenset({AUDIENCE}))
    mounted = {"/storage": storage_app(storage, guard, MAX_UPLOAD)}
    return Listener("public", mounted, [Application([], {})], tls=True)


@pytest.fixture
async def anonymous(app: Listener) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="https://headland.example"
    ) as client:
        yield client


@pytest.fixture
async def client(anonymous: httpx.AsyncClient, token: Callable[..., str]) -> httpx.AsyncClient:
    anonymous.headers["authorization"] = f"Bearer {token()}"
    return anonymous
