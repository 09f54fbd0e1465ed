"""The History Server as the service sees it: there when somebody looks."""

import base64
import hmac
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import headland
from headland.jobs.clusters.java import Toolchain, ToolchainError, java_options
from headland.jobs.spark_ui.errors import HistoryFailedError, HistoryOffError
from headland.jobs.spark_ui.event_logs import EventLog, link
from headland.jobs.spark_ui.folder import HistoryFolder
from headland.settings import Home, JobsSettings

_CLASS = "org.apache.spark.deploy.history.HistoryServer"

#: For a JVM that lives for minutes: it is there in half the processor time.
_BRIEF = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

#: Seconds that it may take to start on a busy machine.
_PATIENCE = 120.0

#: Seconds after a failure until it is tried again.
_PAUSE = 30.0

#: Applications whose pages it keeps at once, in memory.
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Address:
    """Where it answers, and what opens it."""

    url: str
    token: str = field(repr=False)


class HistoryServer:
    """One a home, whichever process asks."""

    def __init__(self, settings: JobsSettings, home: Home) -> None:
        self._settings = settings
        self._folder = HistoryFolder(home.history)
        self._keeper: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def address(self) -> Address | None:
        """Where it answers; None while it starts, which asking for it brings about.

        Raises:
            HistoryOffError: the settings want none.
            HistoryFailedError: it can't be started.
        """
        if not self._settings.history_server:
            raise HistoryOffError
        folder = self._folder
        folder.use()
        with self._lock:
            if not self._kept():
                self._check_failure()
                self._start()
                return None
        record = folder.read(folder.server)
        if record is None:
            return None
        return Address(f"http://127.0.0.1:{record['port']}", _token(str(record["key"])))

    def show(self, logs: list[EventLog]) -> None:
        """Have it show the applications of `logs`, once it runs. Raises as `link`."""
        try:
            link(self._folder.logs, logs)
        except FileNotFoundError:
            raise HistoryFailedError("it has just ended.") from None

    def _kept(self) -> bool:
        """Whether there is a keeper, this process's or another's."""
        if self._keeper is not None and self._keeper.poll() is None:
            return True
        if not self._folder.path.exists():
            return False
        lock = self._folder.take_lock()
        if lock is not None:
            os.close(lock)
        return lock is None

    def _check_failure(self) -> None:
        record = self._folder.read(self._folder.failed)
        if record is not None and time.time() - float(str(record["at"])) < _PAUSE:
            raise HistoryFailedError(str(record["reason"]))

    def _start(self) -> None:
        folder = self._folder
        try:
            tools = Toolchain.of(self._settings)
        except ToolchainError as error:
            raise HistoryFailedError(str(error)) from None
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.used.touch(mode=0o600)
        folder.write(folder.plan, self._plan(tools))
        self._keeper = subprocess.Popen(
            [sys.executable, "-S", "-m", "headland.jobs.spark_ui", str(folder.path)],
            env={"PYTHONPATH": str(Path(headland.__file__).parent.parent)},
            cwd="/",
            # Its end is the word that this process has gone.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=self._keeper.wait, name="history", daemon=True).start()

    def _plan(self, tools: Toolchain) -> dict[str, object]:
        folder = self._folder
        options = [
            *java_options(self._settings.history_memory, tools.java_version()),
            *_BRIEF,
            f"-Djava.io.tmpdir={folder.temporary}",
        ]
        program = [_CLASS, "--properties-file", str(folder.configuration)]
        return {
            "command": [str(tools.java), "-cp", tools.class_path(), *options, *program],
            "environment": {
                "JAVA_HOME": str(tools.java_home),
                "SPARK_HOME": str(tools.spark_home),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "LC_ALL": "C.UTF-8",
                "HOME": str(folder.path),
                "TMPDIR": str(folder.temporary),
            },
            "configuration": {
                "spark.history.fs.logDirectory": f"file:{folder.logs}",
                "spark.history.ui.port": "0",
                # For those who look at an application at work.
                "spark.history.fs.update.interval": "1s",
                "spark.history.retainedApplications": str(_KEPT),
                "spark.history.fs.numReplayThreads": "1",
            },
            "patience": _PATIENCE,
            "idle": self._settings.history_idle,
        }


def _token(key: str) -> str:
    """A JSON Web Signature by the key (RFC 7515; HS256 is RFC 7518 section 3.2)."""
    text = b".".join((_encoded(b'{"alg":"HS256"}'), _encoded(b'{"sub":"headland"}')))
    signature = hmac.digest(base64.urlsafe_b64decode(f"{key}="), text, "sha256")
    return b".".join((text, _encoded(signature))).decode()


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
