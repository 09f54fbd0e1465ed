"""All services of a deployment behind one listener, as the server puts them together, and browsers that ask it."""

import html
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.requests import Request

from headland.control import Terms
from headland.control import initialise as initialise_control
from headland.database import upgrade
from headland.http.listener import Listener
from headland.identity import initialise, oldest_administrator
from headland.identity.people import Passwords, people
from headland.portal.inside import Inside
from headland.security import ADMINISTRATOR, Principal
from headland.server.applications import Assembly
from headland.server.deployment import Deployment
from headland.server.home import prepare_home
from headland.settings import ControlSettings, Home, PortalSettings, ServerSettings, Settings

PUBLIC_URL = "https://headland.test:8443"
START = 1_800_000_000_000
PASSWORD = "hedge barley window lamp"

SETTINGS = Settings(
    server=ServerSettings(public_url=PUBLIC_URL),
    control=ControlSettings(locations=("westeurope", "eastus")),
    portal=PortalSettings(sign_ins_a_minute=20),
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """argon2 with the least that it takes: what is tried here is not how slow it is."""
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    own = Passwords.__init__
    monkeypatch.setattr(Passwords, "__init__", lambda self, hasher=None: own(self, hasher or weak))


@dataclass
class Page:
    """An answer, as a person sees it."""

    response: httpx.Response

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def text(self) -> str:
        """Without tags, and with single spaces."""
        body = re.sub(r"<(script|style).*?</\1>", "", self.response.text, flags=re.DOTALL)
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())

    @property
    def html(self) -> str:
        return self.response.text

    @property
    def location(self) -> str:
        return self.response.headers.get("location", "")

    def value(self, name: str) -> str:
        """What a field of a form has."""
        for tag in re.findall(r"<input[^>]*>", self.html):
            if f'name="{name}"' in tag:
                found = re.search(r'value="([^"]*)"', tag)
                return html.unescape(found[1]) if found else ""
        raise AssertionError(f"no field {name}: {self.text[:400]}")

    def code(self, id_: str) -> str:
        """A text to be copied."""
        found = re.search(rf'<code id="{id_}"[^>]*>([^<]*)</code>', self.html)
        assert found, self.text
        return html.unescape(found[1])


class Browser:
    """Cookies, and forms as they stand in the pages."""

    def __init__(self, listener: Listener, address: str = "127.0.0.1") -> None:
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(listener, raise_app_exceptions=False, client=(address, 1234)),
            base_url=PUBLIC_URL,
            headers={"user-agent": "Tester/1.0"},
        )

    async def open(self, path: str, **request: object) -> Page:
        return Page(await self.client.get(path, **request))

    async def send(self, path: str, on: str | None = None, **form: str) -> Page:
        """Send a form, which stands on the page at `on`, else at the same path."""
        token = (await self.open(on or path)).value("csrf")
        return Page(await self.client.post(path, data={"csrf": token, **form}))

    async def follow(self, page: Page) -> Page:
        assert page.status == 303, page.text
        return await self.open(page.location)

    async def sign_in(self, user_name: str, password: str = PASSWORD) -> Page:
        return await self.send("/portal/sign-in", user_name=user_name, password=password)


@dataclass
class Portal:
    """The deployment."""

    assembly: Assembly
    listener: Listener
    tenant: str
    subscription: str

    @property
    def database(self):
        return self.assembly.deployment.database

    def browser(self, address: str = "127.0.0.1") -> Browser:
        return Browser(self.listener, address)

    def add(self, user_name: str, *, administrator: bool = False) -> people.SetUp:
        """Somebody who is yet to choose a password."""
        return self.database.write_and_wait(
            lambda connection: people.add(
                connection,
                self.tenant,
                user_name,
                name=None,
                administrator=administrator,
                created_by=None,
                now=self.now,
            )
        )

    @property
    def now(self) -> int:
        import time

        return time.time_ns() // 1_000_000

    async def person(self, user_name: str = "ada", *, administrator: bool = True) -> Browser:
        """The browser of somebody who is signed in."""
        browser = self.browser()
        code = self.add(user_name, administrator=administrator).code
        page = await browser.send("/portal/set-up", code=code, password=PASSWORD, again=PASSWORD)
        assert page.status == 303, page.text
        return browser


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A home after its first start, to be copied: generating a key takes its time."""
    home = Home(tmp_path_factory.mktemp("portal") / "home")
    prepare_home(home)
    archive = home.storage / "headland" / "default" / "app.jar"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"PK\x05\x06" + bytes(18))
    deployment = Deployment.of(home, SETTINGS)
    upgrade(deployment.database.url)

    def first(connection):
        initialise(connection, SETTINGS, START)
        tenant, owner = oldest_administrator(connection)
        made = initialise_control(
            connection,
            tenant_id=tenant.id,
            owner_id=owner,
            display_name="Meadow",
            terms=Terms.of(SETTINGS.control),
            now=START,
        )
        return tenant.id, made.id

    tenant, subscription = deployment.database.write_and_wait(first)
    deployment.database.close()
    return home, tenant, subscription


@pytest.fixture
def make_portal(template, tmp_path: Path):
    """Make a deployment with settings of its own."""
    made = []

    def make(settings: Settings = SETTINGS) -> Portal:
        home = Home(tmp_path / f"home{len(made)}")
        shutil.copytree(template[0].path, home.path)
        assembly = Assembly(Deployment.of(home, settings))
        made.append(assembly)
        return Portal(assembly, assembly.public(), template[1], template[2])

    yield make
    for assembly in made:
        assembly.deployer.stop()
        assembly.deployment.database.close()


@pytest.fixture
def portal(make_portal: Callable[..., Portal]) -> Portal:
    return make_portal()


@pytest.fixture
def inside(portal) -> Inside:
    """The services as an administrator's program reaches them."""
    scope = {"type": "http", "asgi": {}, "scheme": "https", "headers": [(b"host", b"headland.test:8443")]}
    principal = Principal(portal.tenant, "program", "program", frozenset({ADMINISTRATOR}))
    return Inside(portal.listener.answer_inside, Request(scope), principal)
