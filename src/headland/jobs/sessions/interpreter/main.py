"""The interpreter's process: the main thread runs cells, another one listens to the host all the time."""

import base64
import contextlib
import json
import os
import queue
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any, Protocol

from headland.jobs.sessions.frames import encoded, receive_now
from headland.jobs.sessions.host.journal import JOBS, STATEMENTS
from headland.jobs.sessions.interpreter.capture import Capture, text_stream
from headland.jobs.sessions.interpreter.magics import CellError
from headland.jobs.sessions.interpreter.outputs import Output, failed, failed_by, limited, succeeded, told
from headland.jobs.sessions.interpreter.spark import Application, prepare, take_interrupts

#: Seconds between attempts to stop what does not stop.
_INSISTING = 0.1

#: Seconds between looks at whether the application is there still.
_WATCHING = 2.0

#: Seconds that code gets to end by itself once its Spark jobs were cancelled, before it is interrupted, and again
#: between interruptions: what takes one as any other exception may be tidying up.
_COURTESY = 1.0


class Cells(Protocol):
    """A language."""

    def run(self, number: int, kind: str, code: str) -> dict[str, Any]:
        """What a cell shows besides what it prints. Raises whatever the code raises."""
        ...

    def job(self, serialized: bytes) -> bytes:
        """What a job of Livy's client library returns, both as the library has them. Raises whatever it raises."""
        ...

    def complete(self, kind: str, code: str, cursor: int) -> list[str]: ...

    def interrupt(self) -> bool:
        """Interrupt the code that runs in another way than by a signal; whether there is one."""
        ...


class Interpreter:
    """Runs one cell after the other."""

    def __init__(
        self, host: socket.socket, application: Application, cells: Cells, capture: Capture, limit: int
    ):
        self._host = host
        self._sending = threading.Lock()
        self._application = application
        self._cells = cells
        self._capture = capture
        self._limit = limit
        self._waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        #: The statement or job whose code is running.
        self._running: tuple[str, int] | None = None
        #: The one that is to be stopped.
        self._unwanted: tuple[str, int] | None = None

    def run(self) -> None:
        """Run what comes until the host is gone."""
        take_interrupts(self._interrupted)
        threading.Thread(target=self._listen, name="host", daemon=True).start()
        application = self._application
        self._send({"event": "ready", "app_id": application.app_id, "ui_url": application.ui_url})
        if application.remote:
            threading.Thread(target=self._watch, name="application", daemon=True).start()
        while (task := self._waiting.get()) is not None:
            list_, number, code = task["list"], task["id"], json.loads(task["body"])
            if list_ == JOBS:
                output = self._job(number, code)
            else:
                output = limited(self._cell(number, task["kind"], code), self._limit)
            self._send({"event": "ended", "list": list_, "id": number, "output": output})

    def _job(self, number: int, code: str) -> Output:
        """What a job of Livy's client library comes to. What it prints goes to the session's log."""
        try:
            self._begin(JOBS, number, "")
            try:
                result = self._cells.job(base64.b64decode(code))
            finally:
                self._running = None
        except BaseException as error:  # noqa: BLE001 - whatever a job raises is its outcome
            return {"state": "FAILED", "result": None, "error": f"Client job error:{told(error)}"}
        # In base64 by itself, and again as bytes are in JSON.
        text = base64.b64encode(base64.b64encode(result)).decode()
        if len(text) > self._limit:
            reason = f"The result is {len(text)} bytes long; jobs.output_limit allows {self._limit}."
            return {"state": "FAILED", "result": None, "error": reason}
        return {"state": "SUCCEEDED", "result": text, "error": None}

    def _begin(self, list_: str, number: int, code: str) -> None:
        self._application.begin(group(list_, number), code)
        self._running = list_, number
        if self._unwanted == self._running:
            # It was to be stopped before there was anything to stop.
            raise KeyboardInterrupt

    def _cell(self, number: int, kind: str, code: str) -> Output:
        shown, failure = {}, None
        self._capture.begin()
        try:
            try:
                self._begin(STATEMENTS, number, code)
                shown = self._cells.run(number, kind, code)
            finally:
                self._running = None
        except CellError as error:
            failure = failed(number, error.ename, str(error), error.lines)
        except BaseException as error:  # noqa: BLE001 - whatever a cell raises is its output
            failure = failed_by(number, error)
        printed = self._capture.end().rstrip()
        if printed or not (shown or failure):
            shown["text/plain"] = printed
        if failure is None:
            return succeeded(number, shown)
        # Livy drops what a cell printed before it failed.
        return {**failure, "data": shown} if printed else failure

    def _interrupted(self, *_: Any) -> None:
        if self._running is not None and self._running == self._unwanted:
            raise KeyboardInterrupt

    def _watch(self) -> None:
        """Tell when the application is lost, and when there is another. A JVM that does not answer is the host's
        affair.
        """
        lost = False
        with contextlib.suppress(Exception):
            while True:
                time.sleep(_WATCHING)
                if (now := self._application.is_lost()) != lost:
                    lost = now
                    self._send({"event": "application", "lost": lost})

    def _listen(self) -> None:
        while (message := receive_now(self._host)) is not None:
            match message["do"]:
                case "run":
                    self._waiting.put(message)
                case "cancel":
                    task = message["list"], message["id"]
                    threading.Thread(target=self._stop, args=task, daemon=True).start()
                case _:
                    threading.Thread(target=self._answer, args=(message,), daemon=True).start()
        # Nobody is there to tell what comes of it.
        os._exit(0)

    def _stop(self, list_: str, number: int) -> None:
        """Stop a statement: its Spark jobs first, which ends most code with an error, then the code itself."""
        self._unwanted = task = list_, number
        interrupt_at = 0.0
        courtesy = False
        while self._running == task:
            with contextlib.suppress(Exception):
                if self._application.cancel(group(*task)) and not courtesy:
                    courtesy = True
                    interrupt_at = time.monotonic() + _COURTESY
            if self._running == task and time.monotonic() >= interrupt_at:
                interrupt_at = time.monotonic() + _COURTESY
                if not self._cells.interrupt():
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(_INSISTING)

    def _answer(self, message: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"event": "answer", "call": message["call"]}
        try:
            match message["do"]:
                case "progress":
                    answer["value"] = self._application.progress(group(message["list"], message["id"]))
                case "complete":
                    cursor = len(message["code"]) if message["cursor"] is None else message["cursor"]
                    answer["value"] = self._cells.complete(message["kind"], message["code"], cursor)
                case "add":
                    self._application.add(message["what"], message["path"])
                    answer["value"] = True
        except Exception as error:  # noqa: BLE001 - the host is told, and goes on
            answer["problem"] = f"{type(error).__name__}: {error}"
        self._send(answer)

    def _send(self, message: dict[str, Any]) -> None:
        with self._sending:
            self._host.sendall(encoded(message))


def group(list_: str, number: int) -> str:
    """What Spark is to call the Spark jobs of a statement or job: as in Livy, a statement's number."""
    return str(number) if list_ == STATEMENTS else f"{list_}-{number}"


def main(arguments: list[str]) -> None:
    """`arguments`: the descriptor of the socket to the host, which says the rest when there is a session."""
    host = socket.socket(fileno=int(arguments[0]))
    os.set_inheritable(host.fileno(), False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # While the JVM starts, or before anybody wants a session.
    prepare()
    given = receive_now(host)
    if given is None:
        os._exit(0)
    capture = Capture(given["output_limit"])
    application = Application.join(Path(given["gateway"]), given["patience"], first=given["first"])
    cells = _cells(application, given)
    sys.stdout = sys.stderr = text_stream(capture)
    Interpreter(host, application, cells, capture, given["output_limit"]).run()
    # Threads that cells have started don't keep a session that is over.
    os._exit(0)


def _cells(application: Application, given: dict[str, Any]) -> Cells:
    """The language that this process is for. Each is imported where it is used."""
    if given["language"] == "python":
        from headland.jobs.sessions.interpreter.python_cells import PythonCells  # noqa: PLC0415

        cells = PythonCells(application)
        cells.names.update(application.names())
        # As in Livy: the session's files are where code looks for them.
        os.chdir(application.files())
        return cells
    from headland.jobs.sessions.interpreter.jvm_cells import JvmCells  # noqa: PLC0415

    return JvmCells(application, given)
