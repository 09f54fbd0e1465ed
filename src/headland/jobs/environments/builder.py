"""Builds environments, one at a time, in a thread of the controller. Rows are the queue: what a kill cuts short is
begun again.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import structlog
from sqlalchemy import Connection, select

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import submission
from headland.jobs.batches.tables import batch
from headland.jobs.environments import store
from headland.jobs.environments.content import Contents
from headland.jobs.environments.requirements import Requirements, content_digest
from headland.jobs.environments.store import EnvironmentRow
from headland.jobs.environments.wire import Package
from headland.jobs.sessions import commission
from headland.jobs.sessions.tables import session
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.environments")

#: Seconds between looks for something to build, and between sweeps of what nobody needs.
LOOK, SWEEP = 0.5, 60.0

#: Characters of a build's output that are kept.
_KEPT = 65_536

#: What the installer gets of the service's environment: where its index is, and how it is reached.
_INHERITED = ("PATH", "HOME", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NETRC", "XDG_CONFIG_HOME")
_INHERITED_BEGINNINGS = ("UV_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class BuildError(Exception):
    """An environment can't be built. The message is for its owner."""


class EnvironmentBuilder:
    """Builds what is to be built, and removes contents that nothing needs."""

    def __init__(
        self, database: Database, settings: JobsSettings, home: Home, clock: Callable[[], int]
    ) -> None:
        self._database = database
        self._settings = settings
        self._contents = Contents(home.environments)
        self._cache = home.cache / "uv"
        self._clock = clock
        #: Of the build that goes on: the key of its row, and what it has said.
        self._key = ""
        self._said: list[str] = []

    def start(self) -> None:
        """Go on until the process ends: builds are made to be cut short."""
        threading.Thread(target=self._run, name="environments", daemon=True).start()

    def build_next(self) -> bool:
        """Build the one that has waited longest; whether there was one."""
        row = self._database.read(store.next_to_build)
        if row is None:
            return False
        _log.info("environment.building", environment=row.name)
        self._key, self._said = row.key, []
        digest = problem = None
        try:
            digest = self._build(row)
        # Whatever is wrong with one, those behind it are built.
        except (BuildError, OSError, ValueError, msgspec.MsgspecError) as error:
            problem = str(error)
        output, now = self._output(), self._clock()
        kept = self._database.write_and_wait(
            lambda connection: store.finish(
                connection, row.key, now, digest=digest, problem=problem, output=output
            )
        )
        if problem is None:
            _log.info("environment.built", environment=row.name, digest=digest, removed=not kept)
        else:
            _log.warning("environment.failed", environment=row.name, reason=problem)
        return True

    def sweep(self) -> None:
        """Remove contents that no environment and no unfinished job has."""
        for digest in self._contents.sweep(self._database.read_snapshot(needed)):
            _log.info("environment.swept", digest=digest)

    def _run(self) -> None:
        stop = threading.Event()
        swept = -SWEEP
        while True:
            try:
                if not self.build_next():
                    stop.wait(LOOK)
                    swept += LOOK
                if swept >= 0:
                    self.sweep()
                    swept = -SWEEP
            except DatabaseUnavailableError as error:
                _log.warning("environments.delayed", reason=str(error))
                stop.wait(LOOK)
            except Exception:  # noqa: BLE001 - jobs go on without this thread's next environment
                _log.exception("environments.failed")
                stop.wait(SWEEP)

    def _build(self, row: EnvironmentRow) -> str:
        """Resolve and install; the digest of the content."""
        wanted = Requirements.parse(row.requirements)
        python = self._settings.python or sys.executable
        binaries = [] if self._settings.environment_sources else ["--only-binary", ":all:"]
        with self._contents.building() as folder:
            asked, pinned, made = folder / "requirements.in", folder / "requirements.txt", folder / "made"
            asked.write_text(wanted.text, "utf-8")
            self._uv(
                *("pip", "compile", "--quiet", "--no-header", "--no-annotate", "--generate-hashes"),
                *("--python", python, *binaries, "-o", str(pinned), str(asked)),
            )
            resolved = pinned.read_text("utf-8")
            self._say(resolved)
            version = self._run_python(python, "import platform; print(platform.python_version())").strip()
            digest = content_digest(resolved, version)
            if self._contents.content(digest).describe() is not None:
                return digest
            self._uv("venv", "--quiet", "--relocatable", "--python", python, str(made))
            self._uv(
                *("pip", "sync", "--python", str(made / "bin" / "python"), "--link-mode", "copy"),
                *("--compile-bytecode", "--require-hashes", *binaries, str(pinned)),
            )
            listed = self._run_uv(
                "pip", "list", "--quiet", "--format", "json", "--python", str(made / "bin" / "python")
            )
            packages = msgspec.json.decode(listed, type=list[Package])
            self._contents.adopt(made, digest, packages)
        return digest

    def _uv(self, *arguments: str) -> None:
        self._say(self._run_uv(*arguments, aloud=True))

    def _run_uv(self, *arguments: str, aloud: bool = False) -> str:
        from uv import find_uv_bin  # noqa: PLC0415 - the controller imports it when it builds

        command = [find_uv_bin(), "--color", "never", "--system-certs", *arguments]
        command[1:1] = ["--cache-dir", str(self._cache), "--no-python-downloads"]
        return self._call(command, aloud=aloud)

    def _run_python(self, python: str, code: str) -> str:
        return self._call([python, "-I", "-c", code])

    def _call(self, command: list[str], *, aloud: bool = False) -> str:
        """What a program says; `aloud`, so that others can read it meanwhile. It is ended with its children when it
        takes too long or is not wanted any more, and ends with this process.
        """
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in _INHERITED or name.upper().startswith(_INHERITED_BEGINNINGS)
        }
        deadline = time.monotonic() + self._settings.environment_patience
        # A file, of which can be read what is there so far.
        with (
            tempfile.TemporaryFile() as output,
            subprocess.Popen(
                command,
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            try:
                while process.poll() is None and (left := deadline - time.monotonic()) > 0:
                    if aloud:
                        self._tell(_text_of(output.fileno(), _KEPT))
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(min(LOOK, left))
                code = process.poll()
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
            said = _text_of(output.fileno())
        if code == 0:
            return said
        self._say(said)
        if code is None:
            limit = f"{self._settings.environment_patience:g} seconds (jobs.environment_patience)"
            raise BuildError(f"it was not built within {limit}")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        raise BuildError(" ".join(lines)[-2000:] or f"{Path(command[0]).name} ended with {code}")

    def _say(self, text: str) -> None:
        self._said.append(text if not text or text.endswith("\n") else text + "\n")

    def _output(self, last: str = "") -> str:
        return "".join([*self._said, last])[-_KEPT:]

    def _tell(self, last: str) -> None:
        """Put what was said so far on record, for those who watch.

        Raises:
            BuildError: the environment was removed.
        """
        output, key = self._output(last), self._key
        # What is not told now is told later.
        with contextlib.suppress(DatabaseUnavailableError):
            known = self._database.read(lambda connection: store.output_of(connection, key))
            if known is None:
                raise BuildError("it was removed")
            if known != output:
                self._database.write_and_wait(lambda connection: store.tell(connection, key, output))


def _text_of(file: int, most: int | None = None) -> str:
    """What is in an open file, its last `most` bytes; its position is another process's."""
    size = os.fstat(file).st_size
    start = 0 if most is None else max(0, size - most)
    return os.pread(file, size - start, start).decode("utf-8", "replace")


def needed(connection: Connection) -> set[str]:
    """Digests of the contents that an environment or a job that has not ended has."""
    found = {row.digest for row in store.everything(connection) if row.digest is not None}
    batches = select(batch.c.request).where(batch.c.finished_at.is_(None))
    found |= {submission.decode(request).environment for request in connection.scalars(batches)}
    sessions = select(session.c.request).where(session.c.finished_at.is_(None))
    found |= {commission.decode(request).submission.environment for request in connection.scalars(sessions)}
    return found
