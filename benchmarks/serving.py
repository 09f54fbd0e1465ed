"""Start what is measured: `headland serve` in a home of its own, or a bare application."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import BenchmarkError

HEADLAND = Path(sys.executable).with_name("headland")
REPOSITORY = Path(__file__).parents[1]

#: Beside the code and not in the system's temporary folder, which may be memory and never flushed.
FOLDER = REPOSITORY / "build"

CLUSTER_SCOPE = "https://hilo.azurehdinsight.net/.default"


@dataclass(frozen=True, slots=True)
class Served:
    """A Headland that serves."""

    home: Path
    environment: dict[str, str]
    #: The supervisor, which leads a session of its own.
    pid: int
    port: int
    private_port: int
    tenant: str
    client_id: str
    client_secret: str

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.home / "tls" / "ca.pem"))

    @property
    def token_path(self) -> str:
        return f"/{self.tenant}/oauth2/v2.0/token"

    @property
    def token_form(self) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "scope": CLUSTER_SCOPE,
        }

    def token(self, scope: str = CLUSTER_SCOPE) -> str:
        """The administrator's."""
        with self.client() as client:
            answer = client.post(self.token_path, data=self.token_form | {"scope": scope})
            return str(answer.raise_for_status().json()["access_token"])

    def client(self, **options: Any) -> httpx.Client:
        """For the public listener."""
        return httpx.Client(
            verify=self.trust, base_url=f"https://localhost:{self.port}", timeout=60, **options
        )

    def put(self, content: bytes, path: str) -> str:
        """Put a blob into the default container; its URL."""
        target = self.home / "storage" / "headland" / "default" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return f"wasbs:///{path}"


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a real disk, for as long as it is needed."""
    FOLDER.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="bench-", dir=FOLDER))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def headland(within: Path, **settings: str) -> Iterator[Served]:
    """`headland serve` on embedded defaults and `settings`, ready; on the home that an earlier one left in `within`,
    if one did.

    Raises:
        BenchmarkError: it ended instead.
    """
    home, port, private_port = within / "home", free_port(), free_port()
    environment = _surroundings() | {
        "HEADLAND_HOME": str(home),
        "HEADLAND_SERVER_PUBLIC_URL": f"https://localhost:{port}",
        "HEADLAND_SERVER_PORT": str(port),
        "HEADLAND_SERVER_PRIVATE_PORT": str(private_port),
        # What is measured has the processors to itself; only the benchmark of these has them.
        "HEADLAND_JOBS_WARM_DRIVERS": "0",
        "HEADLAND_JOBS_STARTUP_CACHE": "false",
        **{f"HEADLAND_{name.upper()}": value for name, value in settings.items()},
    }
    process, told = start(environment, within / "service.log")
    try:
        administrator = within / "administrator.json"
        if "administrator" in told:
            administrator.write_text(json.dumps(told["administrator"]))
        first = json.loads(administrator.read_text())
        yield Served(
            home,
            environment,
            process.pid,
            port,
            private_port,
            tenant=first["tenantId"],
            client_id=first["clientId"],
            client_secret=first["clientSecret"],
        )
    finally:
        stop(process)


def start(environment: dict[str, str], log: Path) -> tuple[subprocess.Popen[str], dict[str, dict[str, str]]]:
    """`headland serve`, ready, and what it told until then.

    Raises:
        BenchmarkError: it ended instead.
    """
    with log.open("w") as opened:
        process = subprocess.Popen(
            [str(HEADLAND), "serve", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=opened,
            text=True,
            start_new_session=True,
        )
    told: dict[str, dict[str, str]] = {}
    for line in process.stdout or ():
        told |= json.loads(line)
        if "ready" in told:
            return process, told
    stop(process)
    raise BenchmarkError(f"`headland serve` ended: {log.read_text()[-500:]}")


@contextmanager
def bare(answers: Path, *tls: Path) -> Iterator[tuple[int, int]]:
    """The bare application of `benchmarks.bare` over the answers in a folder, with certificate and key over TLS; its
    port, and the process that leads its session.
    """
    port = free_port()
    process = start_bare(answers, port, *tls)
    try:
        yield port, process.pid
    finally:
        stop(process)


@contextmanager
def bare_index(database: Path, tls: Path) -> Iterator[tuple[int, int]]:
    """The bare application of `benchmarks.bare_index` over a store, with the certificate in `tls`; as `bare`."""
    port = free_port()
    arguments = [str(port), str(database), str(tls / "server.pem"), str(tls / "server.key")]
    process = _start("benchmarks.bare_index", port, *arguments)
    try:
        yield port, process.pid
    finally:
        stop(process)


def start_bare(answers: Path, port: int, *tls: Path) -> subprocess.Popen[str]:
    """The same, to be stopped by the caller."""
    return _start("benchmarks.bare", port, str(port), str(answers), *map(str, tls))


def _start(module: str, port: int, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=REPOSITORY,
        env=_surroundings(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _await(port, process)
    except BaseException:
        stop(process)
        raise
    return process


def _surroundings() -> dict[str, str]:
    """Variables without Headland's. Python keeps what it compiles, as it does wherever it is not told otherwise."""
    not_kept = ("HEADLAND_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(not_kept)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(port: int, process: subprocess.Popen[str]) -> None:
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            try:
                code = process.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            raise BenchmarkError(f"the bare application ended with exit code {code}") from None
        else:
            return
    raise BenchmarkError("the bare application does not answer")


def stop(process: subprocess.Popen[str]) -> None:
    """In order, else by force."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
