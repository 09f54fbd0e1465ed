"""`pyspark` as somebody starts it by hand: on a terminal, with its prompt."""

import os
import pty
import signal
import subprocess
from pathlib import Path
from select import select
from types import TracebackType

from benchmarks.harness import BenchmarkError
from benchmarks.spark import by_hand
from headland.jobs.clusters.java import Toolchain

PROMPT = b">>> "

#: Seconds until the next prompt after which something is wrong.
PATIENCE = 120.0


class PySparkShell:
    """A shell, from its start to its end. Once it is there, it has shown its first prompt."""

    def __init__(self, tools: Toolchain, python: str, within: Path) -> None:
        self._terminal, theirs = pty.openpty()
        program = str(tools.spark_home / "bin" / "pyspark")
        try:
            self._process = subprocess.Popen(
                [program, "--master", "local[*]", "--driver-memory", "1g"],
                env={**by_hand(tools), "PYSPARK_PYTHON": python, "TERM": "dumb"},
                cwd=within,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        try:
            self._until_prompt()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> "PySparkShell":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def run(self, line: str) -> str:
        """What the shell shows for a line, the line itself first."""
        os.write(self._terminal, line.encode() + b"\n")
        return self._until_prompt()

    def _until_prompt(self) -> str:
        shown = b""
        while not shown.endswith(PROMPT):
            if not select([self._terminal], [], [], PATIENCE)[0]:
                raise BenchmarkError(f"pyspark shows no prompt: {shown[-400:]!r}")
            try:
                shown += os.read(self._terminal, 65536)
            except OSError:
                raise BenchmarkError(f"pyspark has ended: {shown[-400:]!r}") from None
        return shown.decode("utf-8", "replace")

    def _end(self) -> None:
        """All at once: how long a shell takes to end is not measured."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._terminal)
