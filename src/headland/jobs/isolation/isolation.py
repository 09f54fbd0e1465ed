"""Which walls a deployment's jobs stand behind, and what a job may see."""

import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import headland
from headland.jobs.clusters.java import Toolchain
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings

#: All walls that there are, in the order in which they are put up.
WALLS = ("namespaces", "landlock")

#: Those without which other runs and the service's processes could be reached.
_NEEDED = frozenset({"namespaces"})

#: Seconds that a trial may take, on a busy machine.
_PATIENCE = 30.0

_ROOT = str(Path(headland.__file__).parent.parent)

#: `-c`, since what is a module's is compiled once, and a script with each start.
_LAUNCHER = (
    *(sys.executable, "-I", "-S", "-c"),
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from headland.jobs.isolation.launcher import main; main()",
    _ROOT,
)


class IsolationError(ValueError):
    """Jobs can't be isolated as the settings want it. The message says why."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """The walls of one deployment."""

    settings: JobsSettings
    home: Home
    #: What the deployment's programs are made of.
    tools: Toolchain
    #: The walls that stand; none with the setting `none`.
    walls: tuple[str, ...] = ()
    #: Why jobs are not started, where too few stand.
    problem: str = ""

    @classmethod
    def of(cls, settings: JobsSettings, home: Home, tools: Toolchain) -> "Isolation":
        """By what the kernel gives here and now."""
        return cls(settings, home, tools, *standing(settings))

    def enclose(
        self, directory: RunDirectory, writable: Iterable[Path] = (), cached: Iterable[Path] = ()
    ) -> list[str]:
        """Write down what a job in `directory` may see; what goes before a program's command, and `--`, that it runs
        behind walls, empty where there are none. It may write to the folders `writable` as well; `cached` are files
        that its JVM starts with.

        Raises:
            IsolationError: too few walls stand.
            OSError: the disk is full.
        """
        if self.problem:
            raise IsolationError(self.problem)
        if not self.walls:
            return []
        for folder in (directory.root, directory.staged):
            folder.mkdir(mode=0o700, exist_ok=True)
        lines = [
            *(("wall", wall) for wall in self.walls),
            ("root", directory.root),
            ("tmp", directory.temporary),
            ("hide", self.home.path),
            *(("read", path) for path in (*self._installed(), *directory.readable, *cached)),
            *(("write", path) for path in (*directory.writable, *writable)),
            *(("write", path) for path in _folders(self.settings.writable_folders)),
            ("processes", self.settings.max_processes),
            ("files", self.settings.max_open_files),
        ]
        text = "".join(f"{word} {_in_a_line(str(value))}\n" for word, value in lines)
        descriptor = os.open(directory.walls, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return [*_LAUNCHER, str(directory.walls)]

    def _installed(self) -> list[Path]:
        """Programs, packages and files that every job may read."""
        pythons = (sys.executable, self.settings.python or sys.executable)
        programs = [Path(form) for python in pythons for form in (python, os.path.realpath(python))]
        of_python = [program.parent.parent for program in programs if program.is_absolute()]
        of_hadoop = [
            self.settings.hadoop_conf_dir,
            *map(os.environ.get, ("HADOOP_CONF_DIR", "YARN_CONF_DIR")),
        ]
        return [
            Path(sys.prefix),
            Path(sys.base_prefix),
            *of_python,
            self.tools.java_home,
            self.tools.spark_home,
            Path(headland.__file__).parent,
            self.home.environments,
            self.home.ca_bundle,
            self.home.trust_store,
            *(Path(folder) for folder in of_hadoop if folder),
            *_folders(self.settings.local_folders),
            *_folders(self.settings.readable_folders),
        ]


def standing(settings: JobsSettings) -> tuple[tuple[str, ...], str]:
    """The walls that stand with these settings on this machine, and why jobs are not started, where too few do."""
    if settings.isolation == "none":
        return (), ""
    tried = {wall: trial(wall) for wall in WALLS}
    walls = tuple(wall for wall in WALLS if not tried[wall])
    for wall in sorted(_NEEDED.difference(walls)):
        problem = f"jobs.isolation is 'sandbox', and this machine gives no {wall}: {tried[wall]}"
        return walls, f"{problem}. Only jobs of administrators run here, without walls."
    return walls, ""


def described(settings: JobsSettings) -> str:
    """For people: which walls stand."""
    walls, problem = standing(settings)
    if problem:
        return "sandbox: too few walls stand, and only jobs of administrators are started, without any"
    return f"sandbox: {', '.join(walls)}" if walls else "none: jobs can read and change all that Headland can"


@functools.cache
def trial(wall: str) -> str:
    """Have a program run behind one wall alone; why it does not, or nothing."""
    if not sys.platform.startswith("linux"):
        return "it is Linux's"
    with tempfile.TemporaryDirectory() as folder:
        root, description = Path(folder, "root"), Path(folder, "walls")
        root.mkdir()
        lines = [f"wall {wall}", f"root {root}", f"tmp {folder}"]
        lines += [f"read {path}" for path in {sys.prefix, sys.base_prefix, _ROOT}]
        lines += [f"read {Path(os.path.realpath(sys.executable)).parent.parent}"]
        description.write_text("\n".join(lines))
        program = ("--", sys.executable, "-I", "-S", "-c", "pass")
        try:
            ended = subprocess.run(
                [*_LAUNCHER, str(description), *program],
                capture_output=True,
                cwd="/",
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"a trial has not ended in {_PATIENCE:g} seconds"
    if ended.returncode == 0:
        return ""
    return ended.stderr.decode("utf-8", "replace").strip()[-500:] or f"exit code {ended.returncode}"


def behind(walls: list[str], command: list[str]) -> list[str]:
    """The command that has `command` run behind `walls`."""
    return [*walls, "--", *command] if walls else command


def package_folder(packages: Path, owner: str | None) -> Path:
    """Where an owner's jobs keep Java packages: what one owner's jobs have put there must not run in another's."""
    return packages / hashlib.sha256((owner or "").encode()).hexdigest()[:32]


def _folders(named: Iterable[str]) -> list[Path]:
    return [Path(folder).expanduser() for folder in named]


def _in_a_line(value: str) -> str:
    if "\n" in value or "\r" in value:
        raise IsolationError(f"a folder's name has a line break, and can't be described: {value!r}")
    return value
