"""A PostgreSQL of the tests' own: started when one of them asks for it, thrown away with their process."""

import atexit
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg import sql

from headland.database.postgresql.sessions import OLDEST_VERSION
from tests.clients.peers import is_missing

#: Where packages put the servers, by version.
_FOLDERS = (Path("/usr/lib/postgresql"), Path("/usr/local/opt"), Path("/opt/homebrew/opt"))

DEADLINE = 60

#: What is committed outlives the server's processes, killed as they may be, but not the machine's power: a database a
#: test would be flushed to the disk whole.
_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
)

#: Runs the server until its own standard input ends, as it does when the tests' process is gone, however it went.
_UNTIL_INPUT_ENDS = 'exec 3<&0; "$@" & server=$!; (cat <&3 >&2; kill -INT $server) & wait $server'


class Cluster:
    """Databases of one server, by URL."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        # Not below pytest's own folder: the server runs as another user, and its socket's path may not be long.
        self.folder = Path(tempfile.mkdtemp(prefix="headland-pg-"))
        self._owner = _owner()
        if self._owner is not None:
            os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        self._numbers = itertools.count()
        self._run(
            "initdb", "-D", "data", "-U", "headland", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8"
        )
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = (self.folder / "log").open("ab")
        options = [argument for setting in _SETTINGS for argument in ("-c", setting)]
        command = [self.programs / "postgres", "-D", "data", "-k", self.folder, *options]
        self.process = subprocess.Popen(
            ["sh", "-c", _UNTIL_INPUT_ENDS, "sh", *command],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **self._as_owner(),
        )
        log.close()
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.05)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: at once but orderly by SIGINT, as a crash by SIGKILL: its children see it and go, too."""
        if self.process is not None:
            if how == signal.SIGKILL:
                os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), how)
            self.process.stdin.close()
            self.process.wait(DEADLINE)
            self.process = None

    def throw_away(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self, template: str = "template1") -> str:
        """The URL of a new database: an empty one, or a copy of the one with another URL."""
        name = f"test{next(self._numbers)}"
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.execute(command.format(sql.Identifier(name), sql.Identifier(_name_in(template))))
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database if it is there, whoever is connected to it."""
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(_name_in(url))))

    def url(self, name: str) -> str:
        return f"postgresql://headland@/{name}?host={self.folder}"

    def execute(self, statement: str | sql.Composed) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            **self._as_owner(),
        )

    def _as_owner(self) -> dict:
        if self._owner is None:
            return {}
        return {"user": self._owner.pw_uid, "group": self._owner.pw_gid, "extra_groups": []}


def _name_in(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


_CLUSTER: list[Cluster] = []


def cluster() -> Cluster:
    """This process's cluster. Skips the test where PostgreSQL is not installed."""
    if not _CLUSTER:
        programs = _programs()
        if programs is None:
            is_missing(f"no PostgreSQL {OLDEST_VERSION // 10_000} or later is installed")
        _CLUSTER.append(Cluster(programs))
        atexit.register(_CLUSTER[0].throw_away)
    return _CLUSTER[0]


def _programs() -> Path | None:
    """The folder of the newest server's programs."""
    found = {file.parent for folder in _FOLDERS for file in folder.glob("*/bin/postgres")}
    on_path = shutil.which("postgres")
    if on_path is not None:
        found.add(Path(on_path).parent)
    versions = {_version(folder): folder for folder in found}
    newest = max(versions, default=0)
    return versions[newest] if newest >= OLDEST_VERSION // 10_000 else None


def _version(programs: Path) -> int:
    said = subprocess.run(
        [programs / "postgres", "--version"], check=True, capture_output=True, text=True
    ).stdout
    return int(said.split()[2].partition(".")[0])


def _owner() -> pwd.struct_passwd | None:
    """Who the server runs as where root must not run it."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]
