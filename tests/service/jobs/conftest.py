"""A deployment's job service on a real SQLite file and real storage, called through ASGI.

No controller runs unless a test asks for one: what is submitted stays where it is.
"""

import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.routing import Mount
from tests.databases import Template, made_once, system_of

from headland.database import Database, upgrade
from headland.jobs.api import jobs_app
from headland.jobs.batches import store
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.routes import batch_operations
from headland.jobs.batches.service import Batches
from headland.jobs.batches.states import State
from headland.jobs.batches.tables import batch, batch_sequence
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.java import Toolchain
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.environments.routes import environment_operations
from headland.jobs.environments.service import Environments
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.sessions.routes import session_operations
from headland.jobs.sessions.service import Sessions
from headland.jobs.spark_ui.pages import SparkPages
from headland.jobs.spark_ui.routes import spark_operations
from headland.jobs.spark_ui.server import HistoryServer
from headland.jobs.version import version_operation
from headland.jobs.wakeup import listen, wake
from headland.security import Guard, Principal, TrustedIssuer, Verifier
from headland.settings import Home, ServerSettings, Settings, StorageSettings
from headland.storage import Storage

JSON = "application/json; charset=UTF-8"
PUBLIC_URL = "https://headland.test:8443"
AUDIENCE = "https://hilo.azurehdinsight.net"
SCOPE = f"{PUBLIC_URL}/.default"
TENANT = "11111111-2222-3333-4444-555555555555"
CLIENT = "99999999-8888-7777-6666-555555555555"
ISSUER = f"{PUBLIC_URL}/{TENANT}/v2.0"
SECRET = "correct horse battery staple"
NOW = 1_800_000_000
NODE = "node-test"

#: The smallest body that is accepted.
BODY = {"file": "wasbs:///app.jar", "className": "demo.App"}


@dataclass
class Clock:
    now: float = NOW

    def __call__(self) -> float:
        return self.now

    def milliseconds(self) -> int:
        return int(self.now * 1000)


@dataclass
class Service:
    """What a test talks to, and what it looks at from behind."""

    public: httpx.AsyncClient
    private: httpx.AsyncClient
    home: Home
    settings: Settings
    database: Database
    storage: Storage
    paths: PathRules
    clock: Clock
    key: RSAKey

    def token(
        self, *, key: RSAKey | None = None, header: dict[str, object] | None = None, **claims: object
    ) -> str:
        """A good token, with changes; None leaves a claim out."""
        good = {
            "iss": ISSUER,
            "tid": TENANT,
            "aud": AUDIENCE,
            "sub": CLIENT,
            "oid": "12121212-3434-5656-7878-909090909090",
            "azp": CLIENT,
            "iat": int(self.clock.now),
            "nbf": int(self.clock.now),
            "exp": int(self.clock.now) + 3599,
        }
        kept = {name: value for name, value in {**good, **claims}.items() if value is not None}
        return jwt.encode({"alg": "RS256", "kid": "first", **(header or {})}, kept, key or self.key)

    def bearer(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token()}"}

    def headers(self, **changes: str | None) -> dict[str, str]:
        """The headers of a good POST, with changes; None leaves one out."""
        good = {**self.bearer(), "x-requested-by": "test"}
        named = {name.replace("_", "-"): value for name, value in changes.items()}
        return {name: value for name, value in {**good, **named}.items() if value is not None}

    async def get(self, path: str, **options: object) -> httpx.Response:
        return await self.public.get(path, headers=self.bearer(), **options)

    async def post(self, path: str = "/batches", **options: object) -> httpx.Response:
        return await self.public.post(path, headers=self.headers(), **options)

    async def delete(self, path: str) -> httpx.Response:
        return await self.public.delete(path, headers=self.bearer())

    async def submit(self, **fields: object) -> dict:
        """Submit a good batch, with changes; its record."""
        answer = await self.post(json={**BODY, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def put(self, path: str, content: bytes | None = None) -> None:
        """Place a blob in the default container; an application archive unless told otherwise."""
        file = self.home.storage / "headland" / "default" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(archive() if content is None else content)

    def row(self, batch_id: int) -> store.BatchRow | None:
        """The row as the disk has it, seen or unseen."""
        return self.database.read(lambda connection: store.get(connection, batch_id))

    def directory(self, batch_id: int) -> RunDirectory:
        return RunDirectory(self.home.batches / self.row(batch_id).run_key)

    def is_untouched(self) -> bool:
        """Whether nothing that was asked for so far has left a trace: no row, no number taken, no folder."""
        rows, following = self.database.read(
            lambda connection: (
                connection.execute(select(batch)).all(),
                connection.execute(
                    select(batch_sequence.c.next_id).where(batch_sequence.c.name == "batch")
                ).scalar_one(),
            )
        )
        return (rows, following) == ([], 0) and not self.home.batches.exists()

    def change(self, batch_id: int, **values: object) -> None:
        self.database.write_and_wait(lambda connection: store.change(connection, batch_id, **values))

    def run(self, batch_id: int, output: bytes = b"") -> None:
        """Have a batch run, as far as anybody can tell from row and run directory."""
        self.change(
            batch_id, claimed_by=NODE, claimed_at=1, state=State.RUNNING, started_at=self.clock.milliseconds()
        )
        directory = self.directory(batch_id)
        directory.path.mkdir(parents=True, exist_ok=True)
        self.write(batch_id, output)

    def write(self, batch_id: int, output: bytes) -> None:
        """Have a batch's program write something."""
        with self.directory(batch_id).output.open("ab") as opened:
            opened.write(output)

    def end(self, batch_id: int, output: bytes = b"", **record: object) -> None:
        """Have a batch end as its runner's record says: what comes of it is the controller's own doing."""
        if self.row(batch_id).claimed_by is None:
            self.run(batch_id)
        self.write(batch_id, output)
        directory = self.directory(batch_id)
        ended = {
            "exit_code": None,
            "signal": None,
            "killed": False,
            "problem": None,
            "at": self.clock.milliseconds(),
        }
        directory.write(directory.launched, {})
        directory.write(directory.exit, {**ended, **(record or {"exit_code": 0})})
        self.keeper().step(self.row(batch_id))

    def keeper(self) -> BatchKeeper:
        nowhere = Toolchain(Path("/nowhere/bin/java"), Path("/nowhere"))
        return BatchKeeper(
            database=self.database,
            paths=self.paths,
            cluster=Clusters(self.settings.jobs, nowhere),
            settings=self.settings,
            home=self.home,
            clock=self.clock.milliseconds,
        )


def archive() -> bytes:
    """An application archive, as far as anybody can tell without running it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        opened.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        opened.writestr("demo/App.class", b"\xca\xfe\xba\xbe")
    return content.getvalue()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def key() -> RSAKey:
    return RSAKey.generate_key(2048)


@pytest.fixture(scope="session")
def other_key() -> RSAKey:
    """A key that no issuer publishes."""
    return RSAKey.generate_key(2048)


@pytest.fixture(scope="session")
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template[None]:
    """A database with every table, to be copied."""
    system, folder = system_of(request), tmp_path_factory.mktemp("jobs")
    return made_once("jobs", system, lambda: Template(system, folder, upgrade))


async def check_secret(client_id: str, secret: str, _address: str) -> Principal | None:
    """An identity service that knows one application."""
    return Principal(TENANT, CLIENT, "object") if (client_id, secret) == (CLIENT, SECRET) else None


@pytest.fixture
async def make_service(template, tmp_path, key):
    """Make a service as the server assembles it, with settings of its own: `server={…}, jobs={…}, storage={…}`."""
    async with AsyncExitStack() as stack:
        databases: list[Database] = []

        async def make(*, busy_timeout: float = 10.0, **sections: object) -> Service:
            home = Home(tmp_path / f"home{len(databases)}")
            home.runtime.mkdir(parents=True)
            url = stack.enter_context(template.copied(home.database))
            database = Database(url, busy_timeout)
            databases.append(database)
            settings = Settings(
                **{
                    "server": ServerSettings(public_url=PUBLIC_URL),
                    "storage": StorageSettings(),
                    **sections,
                }
            )
            storage = Storage(settings.storage, home.storage)
            storage.prepare()
            clock = Clock()
            paths = PathRules.of(settings.jobs, storage)
            batches = Batches(database, paths, settings.jobs, home, clock.milliseconds)
            sessions = Sessions(database, paths, settings.jobs, home, clock.milliseconds)
            trusted = TrustedIssuer(
                lambda iss, tid: (iss, tid) == (ISSUER, TENANT), lambda kid: key if kid == "first" else None
            )
            verifier = Verifier([trusted], clock)
            audiences = frozenset({AUDIENCE, PUBLIC_URL, f"{PUBLIC_URL}/livy"})
            wanted = settings.server.private_authentication
            guards = {
                "public": Guard(verifier, audiences, SCOPE),
                "private": Guard(
                    verifier,
                    audiences,
                    SCOPE,
                    check_secret=None if wanted == "bearer" else check_secret,
                    anonymous=wanted == "none",
                ),
            }
            demanded = {"public": True, "private": settings.server.private_requested_by}
            bases = {"public": ("/livy", PUBLIC_URL + "/livy"), "private": ("/", "http://10.0.0.4:8998")}
            clients = {}
            for listener, (mount, base) in bases.items():
                operations = batch_operations(
                    batches,
                    guards[listener],
                    requested_by=demanded[listener],
                    max_body=settings.server.max_body,
                )
                operations += session_operations(
                    sessions,
                    guards[listener],
                    requested_by=demanded[listener],
                    max_body=settings.server.max_body,
                )
                operations += environment_operations(
                    Environments(database, settings.jobs, home, clock.milliseconds),
                    guards[listener],
                    requested_by=demanded[listener],
                    max_body=settings.server.max_body,
                )
                operations += spark_operations(
                    SparkPages(HistoryServer(settings.jobs, home)),
                    guards[listener],
                    batches.access,
                    batches.run,
                    sessions.run,
                )
                jobs = jobs_app([*operations, version_operation(guards[listener], batches.access)])
                app = Starlette(routes=[Mount(mount, jobs)])
                clients[listener] = await stack.enter_async_context(
                    httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base)
                )
            made = Service(
                clients["public"], clients["private"], home, settings, database, storage, paths, clock, key
            )
            made.put("app.jar")
            return made

        yield make
        for database in databases:
            database.close()


@pytest.fixture
async def service(make_service) -> Service:
    return await make_service()


@pytest.fixture
def check_error():
    """Checks the form that every error has, and what sets one case apart."""

    def check_error(answer: httpx.Response, status: int, text: str) -> None:
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == JSON
        body = answer.json()
        assert list(body) == ["msg"]
        assert text in body["msg"], body["msg"]
        assert len(body["msg"]) < 1000

    return check_error


class Controller:
    """Stops and forgets what is not wanted any more, each time that it is called. It starts nothing."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._keeper = service.keeper()
        self._calls = listen(service.home.controller_socket)
        self._calls.setblocking(True)
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Controller":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaving.set()
        wake(self._service.home.controller_socket)
        self._thread.join(20)
        self._calls.close()

    def _run(self) -> None:
        while not self._leaving.is_set():
            for batch_id in self._service.database.read(
                lambda connection: [*store.unwanted_ids(connection), *store.claimed_ids(connection, NODE)]
            ):
                row = self._service.row(batch_id)
                if row is not None and row.unwanted:
                    self._keeper.step(row)
            self._calls.recv(100)


@pytest.fixture
def controller() -> Iterator[Callable[[Service], Controller]]:
    return Controller
