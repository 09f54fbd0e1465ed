"""A served Headland: the real `headland serve` in a home of its own, and what tests need to talk to it."""

import contextlib
import itertools
import json
import os
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from headland.jobs.isolation.isolation import standing
from headland.settings import JobsSettings
from tests import startup

HEADLAND = Path(sys.executable).with_name("headland")
APPLICATIONS = Path(__file__).parent / "applications"
FINAL = ("success", "dead", "killed")
CLUSTER_SCOPE = "https://hilo.azurehdinsight.net/.default"

#: For JVMs that live for seconds: they are not worth a second compiler's work, which is a third of all.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

#: Seconds that anything may take before a test gives up: far above what it does take.
PATIENCE = 220.0


def eventually(look: Callable[[], Any], what: str, patience: float = PATIENCE, *, pause: float = 0.05) -> Any:
    """The first true answer of `look`, which is asked again after each `pause`."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(pause)
    raise AssertionError(f"not in {patience:.0f} s: {what}")


def _ports() -> Iterator[int]:
    """Ports to try, in turn, for ever: below those that a system gives away by itself, so that what is free now is
    free in a moment, and for each of the processes that run tests at once a part of them.
    """
    part = 2000 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 8)
    for number in itertools.count(os.getpid()):
        yield 15_000 + part + number % 2000


_PORTS = _ports()


@contextlib.contextmanager
def running(served: "Served") -> Iterator["Served"]:
    """It is started, and nothing of it is left afterwards."""
    try:
        served.start()
        yield served
    finally:
        served.close()


def free_port() -> int:
    for port in _PORTS:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def _isolation() -> str:
    """The walls that are a default on Linux, where the machine gives them."""
    return "none" if standing(JobsSettings(isolation="sandbox"))[1] else "sandbox"


def with_argument(argument: str) -> list[int]:
    """The processes that were started with it."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument.encode() in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
    return found


def own_pid(process: int) -> int:
    """What a process takes for its id, behind walls or not."""
    (line,) = [
        line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line[:6] == "NSpid:"
    ]
    return int(line.split()[-1])


class Served:
    """One home, and the `headland serve` that runs on it, if one does.

    Its drivers start with the startup cache that all tests share; one that is told `jobs_startup_cache` makes its
    own, or does without.
    """

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self.port, self.private_port = free_port(), free_port()
        self.url = f"https://localhost:{self.port}"
        self.private_url = f"http://127.0.0.1:{self.private_port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADLAND_")}
        self.environment = kept | {
            "HEADLAND_HOME": str(home),
            "HEADLAND_SERVER_PUBLIC_URL": self.url,
            "HEADLAND_SERVER_PORT": str(self.port),
            "HEADLAND_SERVER_PRIVATE_PORT": str(self.private_port),
            # Tests that are about something else have the processors to themselves.
            "HEADLAND_JOBS_WARM_DRIVERS": "0",
            "HEADLAND_JOBS_STARTUP_CACHE": "false",
            "HEADLAND_JOBS_ISOLATION": os.environ.get("TESTS_ISOLATION") or _isolation(),
            # Programs leave marks there, and wait for some.
            "HEADLAND_JOBS_WRITABLE_FOLDERS": os.environ.get("TESTS_FOLDER", ""),
            "HEADLAND_JOBS_SPARK_CONF": json.dumps({"spark.driver.extraJavaOptions": QUICK_JAVA}),
            "XDG_CACHE_HOME": str(home.with_name(home.name + "-cache")),
            "XDG_CONFIG_HOME": str(home.with_name(home.name + "-config")),
            **{f"HEADLAND_{name.upper()}": value for name, value in settings.items()},
        }
        self._shares_cache = not settings.keys() & {"jobs_startup_cache", "jobs_java_home", "server_services"}
        #: What its command begins with.
        self.before: tuple[str, ...] = ()
        self.process: subprocess.Popen[str] | None = None
        self.administrator: dict[str, str] = {}
        self.public = httpx.Client()
        self.private = httpx.Client(base_url=self.private_url, timeout=PATIENCE)

    @property
    def ca(self) -> Path:
        return self.home / "tls" / "ca.pem"

    @property
    def log(self) -> Path:
        return self.home.with_name(self.home.name + ".log")

    def start(self, *arguments: str, authorize: bool = True) -> dict[str, Any]:
        """Returns what it said when everything was up; from then on requests carry a token of the administrator."""
        process = self.spawn(*arguments)
        for line in process.stdout or ():
            told = json.loads(line)
            if "administrator" in told:
                self.administrator = told["administrator"]
            if "ready" in told:
                self.public = self.client()
                if authorize:
                    self.authorize()
                return dict(told)
        raise AssertionError(f"serve ended: {self.log.read_text()}")

    def spawn(self, *arguments: str) -> "subprocess.Popen[str]":
        """The process, which has yet to come up."""
        self._let_go()
        # Whatever Java runs drivers, they wait for the companion.
        if startup.give(self.home, companion_only=not self._shares_cache) and self._shares_cache:
            self.environment["HEADLAND_JOBS_STARTUP_CACHE"] = "true"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*self.before, str(HEADLAND), "serve", "--json", *arguments],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        return self.process

    def authorize(self) -> None:
        """Send a token of the administrator from here on."""
        token = self.token()
        self.public.headers["Authorization"] = self.private.headers["Authorization"] = f"Bearer {token}"

    def client(self, token: str = "") -> httpx.Client:
        """For the public base, with a token or without one."""
        context = ssl.create_default_context(cafile=str(self.ca))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, verify=context, timeout=PATIENCE, headers=headers)

    @property
    def command_environment(self) -> dict[str, str]:
        """In which `headland` calls this service as its administrator, and finds nothing else of anybody's."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADLAND_")}
        return kept | {
            "HEADLAND_URL": self.url,
            "HEADLAND_TENANT": self.administrator["tenantId"],
            "HEADLAND_CLIENT_ID": self.administrator["clientId"],
            "HEADLAND_CLIENT_SECRET": self.administrator["clientSecret"],
            "HEADLAND_CA": str(self.ca),
            "HEADLAND_HOME": "/nowhere",
            "XDG_CACHE_HOME": self.environment["XDG_CACHE_HOME"],
            "XDG_CONFIG_HOME": self.environment["XDG_CONFIG_HOME"],
        }

    def token(self, scope: str = CLUSTER_SCOPE, client_id: str = "", client_secret: str = "") -> str:
        """The administrator's, or that of another application."""
        form = {
            "grant_type": "client_credentials",
            "client_id": client_id or self.administrator["clientId"],
            "client_secret": client_secret or self.administrator["clientSecret"],
            "scope": scope,
        }
        tenant = self.administrator["tenantId"]
        request = self.public.build_request("POST", f"/{tenant}/oauth2/v2.0/token", data=form)
        request.headers.pop("Authorization", None)
        return str(self.public.send(request).json()["access_token"])

    def stop(self) -> int:
        """As an operator would; the exit code."""
        if self.process is None or self.process.poll() is not None:
            return -1
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def kill(self) -> None:
        """Every process of the service at once, as a crash would. Runners are not among them."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def cut_off(self, connections: int) -> None:
        """In the place of a service that was killed, take so many connections, and end each."""

        def bound() -> socket.socket | None:
            with contextlib.suppress(OSError):
                return socket.create_server(("127.0.0.1", self.port))
            return None

        with eventually(bound, "the killed have let go of the port") as listener:
            listener.settimeout(PATIENCE)
            for _ in range(connections):
                listener.accept()[0].close()

    def close(self) -> None:
        """Stop, and leave no batch and no session behind."""
        if self.process is not None and self.process.poll() is None:
            for batch in self.public.get("/livy/batches", params={"size": 1000}).json().get("sessions", ()):
                self.public.delete(f"/livy/batches/{batch['id']}")
            for session in (
                self.public.get("/livy/sessions", params={"size": 1000}).json().get("sessions", ())
            ):
                self.public.delete(f"/livy/sessions/{session['id']}")
        self.stop()
        self._let_go()
        self.private.close()

    def _let_go(self) -> None:
        self.public.close()
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()

    def put(self, file: Path, path: str) -> str:
        """Put a file into the default container by hand, as any client of the store may; its URL."""
        target = self.home / "storage" / "headland" / "default" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: a batch that was submitted before may be about to read what was there.
        new = self.home / "put"
        new.write_bytes(file.read_bytes())
        new.replace(target)
        return f"wasbs:///{path}"

    def submit(self, **body: Any) -> httpx.Response:
        return self.public.post("/livy/batches", json=body, headers={"X-Requested-By": "tests"})

    def state(self, batch: int) -> str:
        return str(self.public.get(f"/livy/batches/{batch}/state").json()["state"])

    def wait(self, batch: int, *states: str) -> str:
        """The first of `states` (final ones, if none are named) that the batch is in."""
        wanted = states or FINAL
        return str(
            eventually(
                lambda: s if (s := self.state(batch)) in wanted else None, f"batch {batch} in {wanted}"
            )
        )

    def lines(self, batch: int) -> list[str]:
        found = self.public.get(f"/livy/batches/{batch}/log", params={"from": 0, "size": -1}).json()["log"]
        assert isinstance(found, list)
        return found

    def run_directory(self, batch: int) -> Path:
        connection = sqlite3.connect(self.home / "headland.db")
        try:
            (key,) = connection.execute("SELECT run_key FROM batch WHERE id = ?", (batch,)).fetchone()
        finally:
            connection.close()
        return self.home / "batches" / key
