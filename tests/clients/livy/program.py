"""A client's program while it runs: in an environment of its own, with what it printed."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.clients.peers import is_missing
from tests.serving import PATIENCE, Served, eventually, with_argument

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".environments"


def installed(client: str, program: str) -> Path:
    """A program of a client's environment; without it the test is skipped."""
    path = ENVIRONMENTS / client / program
    if not path.exists():
        is_missing(f"{client} is not installed: run `make clients`")
    return path


class Program:
    """A client that runs beside the test. Use it as a context: it ends with it."""

    def __init__(self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.output, self.errors = folder / "stdout", folder / "stderr"
        kept = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)}
        with self.output.open("w") as output, self.errors.open("w") as errors:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=errors, env=kept | {**environment}
            )

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def said(self) -> str:
        return self.output.read_text() + self.errors.read_text()

    def says(self, text: str, times: int = 1) -> None:
        """Returns when the client has printed this so often."""
        eventually(lambda: self.said.count(text) >= times or self._process.poll() is not None, text)
        assert self.said.count(text) >= times, self.said[-4000:]

    def ends(self) -> int:
        """The client's exit code, when it has ended."""
        return self._process.wait(2 * PATIENCE)

    def answer(self) -> Any:
        """What the client printed last, when it has ended well."""
        assert self.ends() == 0, self.said[-4000:]
        return json.loads(self.output.read_text().splitlines()[-1])


def trusting(served: Served) -> dict[str, str]:
    """How programs on requests, on Python's and on Go's own TLS come to trust the local CA."""
    return {"REQUESTS_CA_BUNDLE": str(served.ca), "SSL_CERT_FILE": str(served.ca)}


def batches_of(served: Served) -> dict[int, dict[str, Any]]:
    """All that Headland lists, by id."""
    return {batch["id"]: batch for batch in served.public.get("/livy/batches").json()["sessions"]}


def runs_once(mark: Path) -> None:
    """Returns when the application that stays until this file is there has started; it never starts again."""
    assert len(eventually(lambda: _started(mark), f"the application that stays until {mark}")) == 1


def is_gone(mark: Path) -> bool:
    """Whether no application runs that was told to stay until this file is there."""
    return not with_argument(str(mark))


def _started(mark: Path) -> list[str]:
    file = Path(f"{mark}.runs")
    return file.read_text().split() if file.exists() else []
