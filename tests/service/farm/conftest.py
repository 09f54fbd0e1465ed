"""The farm service's HTTP with a real verifier, real tokens and real stores; roles and instances by hand."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from joserfc import jwt
from joserfc.jwk import RSAKey
from tests.databases import SYSTEMS, StoresTemplate, made_once
from tests.service.farm.in_process import InProcess

from headland.cli.main import cli
from headland.cli.surroundings import Surroundings
from headland.farm import (
    Addresses,
    Files,
    Instance,
    Pending,
    Presence,
    Shelf,
    Stores,
    Throttle,
    Units,
    Worker,
    farm_app,
    rasterizing,
)
from headland.farm.application import INSTANCE_HOST
from headland.farm.bulk.prepared import shape_called
from headland.farm.catalogue import BY_NAME
from headland.farm.catalogue.references import ByType
from headland.farm.geometry import Limits
from headland.farm.versions import Version
from headland.http.application import Application
from headland.http.listener import Hosts, Listener
from headland.security import Guard, Principal, TrustedIssuer, Verifier
from headland.settings import StorageSettings
from headland.storage import Storage

AUDIENCE = "https://farmbeats.azure.net"
ISSUER = "https://issuer.example/tenant"
PUBLIC_URL = "https://headland.example:8443"
DOMAIN = "farms.example"
MAX_BODY = 100_000
MAX_GEOMETRY_BODY = 200_000
MAX_FILE = 3_000_000
FILE_TYPES = (".bin", ".tif", "image/*", "application/octet-stream")
TENANT = "tenant"

#: Data actions of the seed's three roles; after a `!`, those that they have not.
ROLES = {
    "admin": ("*",),
    "contributor": ("*/read", "*/write", "*/action", "!*/deletionJobs/*/write"),
    "reader": ("*/read", "*/list/action", "*/search/action", "*/download/action", "*/overlap/action"),
}


INSTANCES = ("meadow", "orchard")


@dataclass
class Directory:
    """Instances by name, and roles by object id and instance: all that the control plane has to know."""

    instances: dict[str, Instance] = field(default_factory=dict)
    assigned: dict[tuple[str, str], str] = field(default_factory=dict)

    def find(self, name: str) -> Instance | None:
        return self.instances.get(name.lower())

    def allows(self, principal: Principal, action: str, scope: str) -> bool:
        role = self.assigned.get((principal.object_id, scope))
        patterns = ROLES[role] if role is not None else ()
        refused = any(fnmatchcase(action, pattern[1:]) for pattern in patterns if pattern.startswith("!"))
        return not refused and any(fnmatchcase(action, pattern) for pattern in patterns)

    def assign(self, object_id: str, role: str, name: str = "meadow") -> None:
        self.assigned[object_id, resource_id(name)] = role

    def make(self, name: str, stores: Stores, *, state: str = "Succeeded") -> None:
        stores.lay_out(f"store-{name}")
        self.instances[name] = Instance(name, resource_id(name), f"store-{name}", state)


def resource_id(name: str) -> str:
    return f"/subscriptions/s/resourceGroups/g/providers/Microsoft.AgFoodPlatform/farmBeats/{name}"


@dataclass
class Clock:
    now: float = 1_800_000_000.75

    def __call__(self) -> float:
        return self.now


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
            "tid": TENANT,
            "oid": "admin",
            "sub": "admin",
            "appid": "client",
            "aud": AUDIENCE,
            "nbf": now - 1,
            "exp": now + 600,
        }
        return jwt.encode({"alg": "RS256", "kid": "one"}, {**good, **claims}, key)

    return token


@pytest.fixture(scope="session", params=SYSTEMS)
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StoresTemplate:
    folder, keys = tmp_path_factory.mktemp("farm"), [f"store-{name}" for name in INSTANCES]
    return made_once("instances", request.param, lambda: StoresTemplate(request.param, folder, *keys))


@pytest.fixture
def shelf(template: StoresTemplate, tmp_path: Path) -> Iterator[Shelf]:
    with template.shelf(tmp_path) as shelf:
        yield shelf


@pytest.fixture
def stores(shelf: Shelf) -> Iterator[Stores]:
    stores = Stores(shelf)
    yield stores
    stores.close()


@pytest.fixture
def directory(stores: Stores) -> Directory:
    """The instances `meadow` and `orchard`; each role's name is the object id of somebody who has it on `meadow`."""
    directory = Directory()
    for name in INSTANCES:
        directory.make(name, stores)
    for role in ROLES:
        directory.assign(role, role)
    return directory


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def verifier(key: RSAKey) -> Verifier:
    issuer = TrustedIssuer(
        issued=lambda iss, tid: (iss, tid) == (ISSUER, TENANT),
        key=lambda kid: key if kid == "one" else None,
    )
    return Verifier([issuer])


@pytest.fixture
def pending(tmp_path: Path, clock: Clock) -> Pending:
    return Pending(tmp_path / "pending", clock)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    storage = Storage(StorageSettings("farm", "files"), tmp_path / "files")
    return Files(storage, Presence(tmp_path / "receiving"), MAX_FILE, FILE_TYPES)


@pytest.fixture
def worker(shelf: Shelf, pending: Pending, files: Files, clock: Clock) -> Worker:
    """One that works when it is told to."""
    return Worker(pending, Stores(shelf), (files.sweep,), clock, kinds=(rasterizing(files),))


@pytest.fixture
def units() -> Units:
    """No limit."""
    return Units()


@pytest.fixture
def throttle(units: Units, tmp_path: Path, clock: Clock) -> Throttle:
    return Throttle(units, tmp_path / "units", clock)


@pytest.fixture
def served_from(
    pending: Pending,
    files: Files,
    directory: Directory,
    clock: Clock,
    verifier: Verifier,
    throttle: Throttle,
) -> Callable[[Stores], Listener]:
    """A worker process's listener on its stores."""

    def served_from(stores: Stores) -> Listener:
        farm = farm_app(
            guard=Guard(verifier, frozenset({AUDIENCE, PUBLIC_URL})),
            authorizer=directory,
            instances=directory,
            stores=stores,
            pending=pending,
            files=files,
            addresses=Addresses(PUBLIC_URL, domain=DOMAIN),
            max_body=MAX_BODY,
            max_geometry_body=MAX_GEOMETRY_BODY,
            limits=Limits(2_600),
            clock=clock,
            throttle=throttle,
        )
        hosts = Hosts(DOMAIN, farm, INSTANCE_HOST)
        return Listener("public", {"/farm": farm}, [Application([], {})], tls=True, hosts=hosts)

    return served_from


@pytest.fixture
def app(stores: Stores, served_from: Callable[[Stores], Listener]) -> Listener:
    return served_from(stores)


class Caller:
    """Somebody who talks to one instance, in one version unless a request says otherwise."""

    def __init__(self, client: httpx.AsyncClient, version: str | None = "2022-11-01-preview") -> None:
        self._client = client
        self._version = version

    async def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        """`params` beside the version; `json` as a merge patch."""
        version = {"api-version": self._version} if self._version else {}
        options["params"] = {**version, **options.get("params", {})}
        headers = dict(options.pop("headers", {}))
        if "json" in options:
            headers.setdefault("content-type", "application/merge-patch+json")
        return await self._client.request(method, path, headers=headers, **options)

    async def follow(self, link: str) -> httpx.Response:
        """What a link leads to, as it is."""
        return await self._client.get(link)

    async def make(self, path: str, **members: Any) -> dict[str, Any]:
        """A document that was not there."""
        made = await self("PATCH", path, json=members)
        assert made.status_code == 201, made.text
        return dict(made.json())

    async def make_linked(self, path: str, **members: Any) -> dict[str, Any]:
        """The same, and before it what its members refer to, where that is not there."""
        for other, body in self._referred(path, members):
            made = await self("PATCH", other, json=body)
            assert made.status_code in {200, 201}, made.text
        return await self.make(path, **members)

    def _referred(self, path: str, members: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        *_, segment, _id = path.split("/")
        version = Version(self._version or "")
        shape = shape_called(segment, version)
        party = "/".join(path.split("/")[:3])
        for reference in shape.family.references:
            value = members.get(shape.names.get(reference.attribute, ""))
            name: str | None = None
            if isinstance(reference.to, ByType):
                name = reference.to.families.get(members.get(shape.names[reference.to.attribute], ""))
            else:
                name = reference.to
            if value is not None and name is not None:
                other = BY_NAME[name]
                own = other.segment.of(version)
                above = party if other.of_party else ""
                if other.nesting and version in other.nesting.versions:
                    above = f"/{other.nesting.parent.segment.of(version)}/c1"
                    yield above, {}
                for each in value if reference.several else [value]:
                    yield f"{above}/{own}/{each}", {}

    async def ids(self, path: str, **params: Any) -> list[str]:
        """Of one page."""
        answer = await self("GET", path, params=params)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["value"]]


@pytest.fixture
async def client(app: Listener) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=PUBLIC_URL) as client:
        yield client


@pytest.fixture
def caller(app: Listener, token: Callable[..., str]) -> Callable[..., Caller]:
    """Make a caller with a role's token, or with whatever claims."""

    def caller(
        object_id: str = "admin",
        base: str = f"{PUBLIC_URL}/farm/meadow",
        version: str = "2022-11-01-preview",
        **claims: Any,
    ) -> Caller:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        headers = {"authorization": f"Bearer {token(oid=object_id, **claims)}"}
        return Caller(httpx.AsyncClient(transport=transport, base_url=base, headers=headers), version)

    return caller


@pytest.fixture
def admin(caller: Callable[..., Caller]) -> Caller:
    return caller()


@pytest.fixture
def transport(app: Listener, token: Callable[..., str]) -> InProcess:
    return InProcess(app, token(aud=PUBLIC_URL))


@pytest.fixture
def headland(transport: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HEADLAND_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("HEADLAND_URL", PUBLIC_URL)
    for name in ("TENANT", "CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.setenv(f"HEADLAND_{name}", name)
    surroundings = Surroundings(transport=transport, sleep=lambda _: None)

    def run(*arguments: Any, **options: Any) -> Result:
        return CliRunner().invoke(cli, [str(each) for each in arguments], obj=surroundings, **options)

    return run
