"""The yardstick for searches by place: tipg on PostGIS, which serves OGC API Features.

tipg runs in an environment of its own, which `benchmarks/install` makes; PostgreSQL and PostGIS are the system's.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
import shapely
from tests.postgres import Cluster

from benchmarks.fields import Ring, Window, outline
from benchmarks.harness import BenchmarkError, SkippedError
from benchmarks.instances import PARTY
from benchmarks.loading import Target, ask
from benchmarks.processes import cpu_seconds, family_cpu_seconds
from benchmarks.serving import free_port, stop

_PYTHON = Path(__file__).parent / ".environments/tipg/bin/python"
_SERVERS = Path("/usr/lib/postgresql")


#: The members that our searches answer; and an outline, which theirs do besides.
_TABLE = """
CREATE TABLE fields (
    id text PRIMARY KEY, party_id text, name text, parent_type text, parent_id text, area float, area_unit text,
    etag text, created timestamptz, modified timestamptz, created_by text, modified_by text,
    geom geometry(Polygon, 4326)
)
"""


@dataclass(frozen=True, slots=True)
class Tipg:
    """A tipg that serves the table `fields`."""

    port: int
    #: Of tipg, and of what has started PostgreSQL, whose backends have sessions of their own.
    pid: int
    database_pid: int
    #: Adds fields up to a number, and says what that was.
    fill: Callable[[int], None]
    ca: str

    def cpu_seconds(self) -> float:
        """Processor time that both have taken."""
        return cpu_seconds(self.pid) + family_cpu_seconds(self.database_pid)

    def target(self, windows: Sequence[Window]) -> Target:
        """Searches that take turns."""
        paths = [
            f"/collections/public.fields/items?bbox={','.join(map(str, window))}&limit=50"
            for window in windows
        ]
        return Target(self.port, "GET", paths[0], ca=self.ca, more_paths=paths[1:])


@contextmanager
def tipg(tls: Path) -> Iterator[Tipg]:
    """A tipg without fields, behind the certificate in `tls`.

    Raises:
        SkippedError: it is not installed, or PostGIS is not.
    """
    programs = sorted(_SERVERS.glob("*/bin/postgres"))
    if not _PYTHON.exists() or not programs:
        raise SkippedError("tipg (benchmarks/install) or PostgreSQL is not installed")
    cluster = Cluster(programs[-1].parent)
    try:
        url = cluster.database()
        with psycopg.connect(url, autocommit=True) as connection:
            try:
                connection.execute("CREATE EXTENSION postgis")
            except psycopg.errors.Error as error:
                raise SkippedError(f"PostGIS is not installed: {error}") from None
            connection.execute(_TABLE)
            connection.execute("CREATE INDEX ON fields USING gist (geom)")
            filled = 0

            def fill(number: int) -> None:
                nonlocal filled
                with connection.cursor().copy("COPY fields FROM STDIN") as copy:
                    for each in range(filled, number):
                        copy.write_row(_row(each))
                filled = number
                connection.execute("VACUUM ANALYZE fields")

            assert cluster.process is not None
            with _serving(url, tls) as (port, pid):
                yield Tipg(port, pid, cluster.process.pid, fill, str(tls / "ca.pem"))
    finally:
        cluster.throw_away()


@contextmanager
def _serving(url: str, tls: Path) -> Iterator[tuple[int, int]]:
    port = free_port()
    process = subprocess.Popen(
        [str(_PYTHON), "-m", "uvicorn", "tipg.main:app", "--port", str(port), "--no-access-log", *_tls(tls)],
        env={"PATH": os.environ["PATH"], "DATABASE_URL": _with_folder(url), "LC_ALL": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _await(Target(port, "GET", "/healthz", ca=str(tls / "ca.pem")), process)
        yield port, process.pid
    finally:
        stop(process)


def _row(number: int) -> tuple[object, ...]:
    name = f"field-{number}"
    by, at = "16efdbc2-c3cd-4fce-a0fb-f107f8f63bbe", "2024-05-01T12:00:00Z"
    stamps = ("3d6aadd0-0000-a37f-0000-6553f1000000", at, at, by, by)
    return name, PARTY, f"Field {number}", "Field", name, 73.433, "Acre", *stamps, _hex(outline(number))


def _with_folder(url: str) -> str:
    """The URL with the socket's folder as its host: what tipg checks knows no other way to say it."""
    address, _, folder = url.partition("?host=")
    return address.replace("@/", f"@{quote(folder, safe='')}/")


def _hex(ring: Ring) -> str:
    shape = shapely.set_srid(shapely.Polygon(ring), 4326)
    return str(shapely.to_wkb(shape, hex=True, include_srid=True))


def _tls(folder: Path) -> list[str]:
    return ["--ssl-certfile", str(folder / "server.pem"), "--ssl-keyfile", str(folder / "server.key")]


def _await(target: Target, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        try:
            ask(target)
        except OSError:
            if process.poll() is not None:
                raise BenchmarkError(f"tipg ended with exit code {process.returncode}") from None
            time.sleep(0.1)
        else:
            return
    raise BenchmarkError("tipg does not answer")
