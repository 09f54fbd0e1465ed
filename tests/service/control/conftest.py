"""A control plane on a real SQLite file, called through ASGI with tokens that the identity service signs."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.databases import SYSTEMS, Template, laid_out_on, made_once, shelf_at

from headland.control import ControlService, Deployer, RoleAuthorizer, Terms, control_app
from headland.control import initialise as initialise_control
from headland.control.records import Assignment
from headland.control.rows import assignments
from headland.control.scopes import key_of
from headland.database import Database, upgrade
from headland.farm import SchemaShelf, Shelf
from headland.farm import Stores as FarmStores
from headland.identity import Issuer, applications, initialise, oldest_administrator
from headland.identity.claims import access_claims, lasting_claims
from headland.identity.clients import BY_SECRET, Client
from headland.identity.records import Application
from headland.identity.resources import Resource
from headland.security import Guard, Principal, Verifier
from headland.server.directory import IdentityDirectory
from headland.settings import ControlSettings, IdentitySettings, ServerSettings, Settings

PUBLIC_URL = "https://headland.test:8443"
START = 1_800_000_000.0
AUDIENCE = "https://management.azure.com"
VERSION = "2021-09-01-preview"
PROVIDER = "Microsoft.AgFoodPlatform"

SETTINGS = Settings(
    server=ServerSettings(public_url=PUBLIC_URL),
    identity=IdentitySettings(tenant_name="meadow.example"),
    control=ControlSettings(locations=("westeurope", "eastus")),
)


class Stores(FarmStores):
    """Stores that can be told to fail."""

    problem: Exception | None = None

    def lay_out(self, store_key: str) -> None:
        if self.problem is not None:
            raise self.problem
        super().lay_out(store_key)

    def remove(self, store_key: str) -> None:
        if self.problem is not None:
            raise self.problem
        super().remove(store_key)


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
    clock: Clock
    service: ControlService
    client: httpx.AsyncClient
    stores: Stores
    shelf: Shelf
    deployer: Deployer
    subscription: str
    administrator: Application
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def tenant(self) -> str:
        return self.administrator.tenant_id

    @property
    def base(self) -> str:
        return f"/subscriptions/{self.subscription}"

    def group(self, name: str = "meadow") -> str:
        return f"{self.base}/resourceGroups/{name}"

    def instance(self, name: str = "north-field", group: str = "meadow") -> str:
        return f"{self.group(group)}/providers/{PROVIDER}/farmBeats/{name}"

    def known(self, application: Application) -> Client:
        """The application, as if it had shown a secret."""
        return Client(application, self.issuer.tenant(application.tenant_id), BY_SECRET, "a secret")

    def principal(self, application: Application) -> Principal:
        return application.principal(self.issuer.tenant(application.tenant_id))

    def token(self, of: Application, audience: str = AUDIENCE) -> str:
        lasting = lasting_claims(self.known(of), Resource(audience, "1.0"), PUBLIC_URL)
        return self.issuer.sign(access_claims(lasting, int(self.clock()), 3600))

    def register(self, name: str = "Drone", *, administrator: bool = False) -> Application:
        """An application of the tenant."""
        return self.database.write_and_wait(
            lambda connection: applications.register(
                connection,
                self.tenant,
                name,
                administrator=administrator,
                created_by=None,
                now=int(self.clock() * 1000),
            )
        )

    def assign(self, who: Application, role: str, scope: str, tenant: str | None = None) -> str:
        """Give a role by its row alone; the assignment's name."""
        now = int(self.clock() * 1000)
        name = str(uuid.uuid4())
        made = Assignment(
            name,
            tenant or self.tenant,
            scope,
            key_of(scope),
            role,
            who.object_id,
            "ServicePrincipal",
            None,
            None,
            now,
            None,
            now,
        )
        self.database.write_and_wait(lambda connection: assignments.add(connection, made))
        return name

    async def call(
        self,
        method: str,
        path: str,
        *,
        who: Application | None = None,
        version: str | None = VERSION,
        query: dict[str, str] | None = None,
        **options: Any,
    ) -> httpx.Response:
        """An answer to somebody; the administrator unless said."""
        caller = who or self.administrator
        if caller.client_id not in self.tokens:
            self.tokens[caller.client_id] = self.token(caller)
        headers = {"authorization": f"Bearer {self.tokens[caller.client_id]}", **options.pop("headers", {})}
        params = {**({"api-version": version} if version else {}), **(query or {})}
        return await self.client.request(method, path, headers=headers, params=params, **options)

    async def made(self, method: str, path: str, **options: Any) -> Any:
        """The body of an answer that is a success."""
        answer = await self.call(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def ready(self, *names: str) -> None:
        """A group, the provider registered, and instances that are laid out."""
        await self.made("PUT", self.group(), json={"location": "westeurope"})
        await self.made("POST", f"{self.base}/providers/{PROVIDER}/register")
        for name in names:
            await self.made("PUT", self.instance(name), json={"location": "westeurope"})
        self.deployer.work()

    def laid_out(self) -> set[str]:
        """The stores that there are."""
        return laid_out_on(self.shelf)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", params=SYSTEMS)
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template[str]:
    """A database after its first start, to be copied, and the id of its subscription."""

    def start(connection: Any) -> str:
        initialise(connection, SETTINGS, int(START * 1000))
        tenant, owner = oldest_administrator(connection)
        made = initialise_control(
            connection,
            tenant_id=tenant.id,
            owner_id=owner,
            display_name="Meadow",
            terms=Terms.of(SETTINGS.control),
            now=int(START * 1000),
        )
        assert made is not None
        return made.id

    def prepare(url: str) -> str:
        upgrade(url)
        with shelf_at(url, tmp_path_factory.mktemp("unused")) as shelf:
            if isinstance(shelf, SchemaShelf):
                shelf.prepare()
        database = Database(url)
        subscription = database.write_and_wait(start)
        database.close()
        return subscription

    folder = tmp_path_factory.mktemp("control")
    return made_once("control", request.param, lambda: Template(request.param, folder, prepare))


@pytest.fixture
def database(template: Template[str], tmp_path: Path) -> Iterator[Database]:
    with template.copied(tmp_path / "headland.db") as url:
        database = Database(url)
        yield database
        database.close()


@pytest.fixture
def shelf(database: Database, tmp_path: Path) -> Iterator[Shelf]:
    with shelf_at(database.url, tmp_path / "farm") as shelf:
        yield shelf


@pytest.fixture
async def deployment(
    template: Template[str], database: Database, shelf: Shelf, tmp_path: Path
) -> AsyncIterator[Deployment]:
    clock = Clock()
    issuer = Issuer(database, PUBLIC_URL)
    guard = Guard(
        Verifier([issuer.trusted()], clock), frozenset({PUBLIC_URL, AUDIENCE}), f"{PUBLIC_URL}/.default"
    )
    stores = Stores(shelf)
    deployer = Deployer(database, stores, tmp_path / "deployer.lock", clock)
    service = ControlService(
        database,
        SETTINGS,
        guard,
        RoleAuthorizer(database),
        IdentityDirectory(outside=False),
        Terms.of(SETTINGS.control),
        clock=clock,
    )
    administrator = database.read(
        lambda connection: applications.get(
            connection,
            oldest_administrator(connection)[0].id,
            connection.exec_driver_sql("SELECT client_id FROM application").scalar_one(),
        )
    )
    transport = httpx.ASGITransport(control_app(service), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=PUBLIC_URL) as client:
        yield Deployment(
            database,
            issuer,
            clock,
            service,
            client,
            stores,
            shelf,
            deployer,
            template.made,
            administrator,
        )


@pytest.fixture
def refused() -> Any:
    """Checks the whole form of a refusal; its message."""
    return _refused


def _refused(answer: httpx.Response, status: int, code: str, text: str = "") -> str:
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert {"code", "message"} <= set(body["error"]) <= {"code", "message", "target", "details"}
    assert text in body["error"]["message"], body["error"]["message"]
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.headers["x-ms-request-id"]
    assert answer.headers["x-ms-correlation-request-id"]
    return str(body["error"]["message"])
