"""A deployment's identity service on a real SQLite file, called through ASGI."""

import re
from dataclasses import dataclass, field

import httpx
import pytest
from tests.databases import Template, made_once, system_of

from headland.control import belongings
from headland.database import Database, upgrade
from headland.identity import (
    AdminService,
    FailedAttempts,
    Issuer,
    SecretChecker,
    identity_admin_app,
    identity_app,
    initialise,
)
from headland.security import Guard, Verifier
from headland.settings import IdentitySettings, ServerSettings, Settings

PUBLIC_URL = "https://headland.test:8443"
START = 1_800_000_000.0
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

SETTINGS = Settings(
    server=ServerSettings(public_url=PUBLIC_URL),
    identity=IdentitySettings(
        tenant_name="meadow.example",
        resources=(
            "https://farmbeats.azure.net",
            "https://management.azure.com",
            "https://slashed.example/",
        ),
    ),
)


@dataclass
class Clock:
    now: float = START

    def __call__(self) -> float:
        return self.now


@dataclass
class Deployment:
    """What a test talks to, and what it needs to know."""

    database: Database
    issuer: Issuer
    first: object
    clock: Clock
    tokens: httpx.AsyncClient
    admin: httpx.AsyncClient
    verifier: Verifier
    settings: Settings = field(default_factory=lambda: SETTINGS)

    @property
    def tenant(self) -> str:
        return self.first.tenant_id

    def form(self, **changes: str | None) -> dict[str, str]:
        """A good v2.0 form, with changes; None leaves a field out."""
        good = {
            "grant_type": "client_credentials",
            "client_id": self.first.client_id,
            "client_secret": self.first.secret,
            "scope": f"{PUBLIC_URL}/.default",
        }
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    def form_v1(self, **changes: str | None) -> dict[str, str]:
        return self.form(**{"scope": None, "resource": "https://farmbeats.azure.net", **changes})

    @property
    def v2(self) -> str:
        return f"/{self.tenant}/oauth2/v2.0/token"

    @property
    def v1(self) -> str:
        return f"/{self.tenant}/oauth2/token"

    async def token(self, **changes: str | None) -> str:
        answer = await self.tokens.post(self.v2, data=self.form(**changes))
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    async def as_administrator(self) -> dict[str, str]:
        return {"authorization": f"Bearer {await self.token()}"}

    async def register(self, name: str = "Drone", **body: object) -> dict:
        """A registered application, with the value of a fresh secret as `secret`."""
        headers = await self.as_administrator()
        made = await self.admin.post("/applications", json={"name": name, **body}, headers=headers)
        assert made.status_code == 201, made.text
        secret = await self.admin.post(
            f"/applications/{made.json()['clientId']}/secrets", json={}, headers=headers
        )
        assert secret.status_code == 201, secret.text
        return {**made.json(), "secret": secret.json()["secret"], "secretId": secret.json()["id"]}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def template(request, tmp_path_factory):
    """A database after its first start, to be copied: generating a key takes its time. With who was made then."""

    def prepare(url: str):
        upgrade(url)
        database = Database(url)
        first = database.write_and_wait(
            lambda connection: initialise(connection, SETTINGS, int(START * 1000))
        )
        database.close()
        return first

    system, folder = system_of(request), tmp_path_factory.mktemp("identity")
    return made_once("identity", system, lambda: Template(system, folder, prepare))


@pytest.fixture
def database(template, tmp_path):
    with template.copied(tmp_path / "headland.db") as url:
        database = Database(url)
        yield database
        database.close()


@pytest.fixture
async def deployment(template, database):
    clock = Clock()
    issuer = Issuer(database, PUBLIC_URL, clock)
    verifier = Verifier([issuer.trusted()], clock)
    guard = Guard(verifier, frozenset({PUBLIC_URL}))
    tokens = identity_app(database, SETTINGS, issuer, clock)
    admin = identity_admin_app(AdminService(database, SETTINGS, guard, belongings, clock))
    async with (
        httpx.AsyncClient(
            transport=httpx.ASGITransport(tokens, raise_app_exceptions=False), base_url=PUBLIC_URL
        ) as token_client,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(admin, raise_app_exceptions=False), base_url=PUBLIC_URL
        ) as admin_client,
    ):
        yield Deployment(database, issuer, template.made, clock, token_client, admin_client, verifier)


@pytest.fixture
def checker(database) -> SecretChecker:
    return SecretChecker(database, FailedAttempts(30), Clock())


@pytest.fixture
def check_refusal():
    """Checks the whole form of a refusal, and what sets one case apart."""
    return _check_refusal


def _check_refusal(answer, status: int, error: str, code: int, text: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    assert ("www-authenticate" in answer.headers) == (status == 401)
    body = answer.json()
    assert set(body) == {
        "error",
        "error_description",
        "error_codes",
        "timestamp",
        "trace_id",
        "correlation_id",
        "error_uri",
    }
    assert body["error"] == error
    assert body["error_codes"] == [code]
    assert GUID.fullmatch(body["trace_id"])
    assert body["timestamp"] == "2027-01-15 08:00:00Z"
    assert body["error_uri"] == f"{PUBLIC_URL}/error?code={code}"
    assert body["error_description"].startswith(f"AADSTS{code}: {text}"), body["error_description"]
    assert body["error_description"].endswith(
        f" Trace ID: {body['trace_id']} Correlation ID: {body['correlation_id']} "
        f"Timestamp: {body['timestamp']}"
    )
