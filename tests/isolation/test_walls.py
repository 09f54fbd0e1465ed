"""Each wall alone, and all together: what a program tries, and how it ends. No Spark: the launcher itself."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.isolation import attempts
from tests.isolation.attempts import ATTEMPTS, LANDLOCK, NAMESPACES
from tests.isolation.others import others
from tests.serving import eventually

from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.java import Toolchain
from headland.jobs.controller.held import write_private
from headland.jobs.controller.staging import stage
from headland.jobs.isolation import launcher
from headland.jobs.isolation.isolation import WALLS, Isolation, IsolationError, behind, trial
from headland.jobs.runner.processes import ProcessIdentity, descendants
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings, StorageSettings
from headland.storage import Storage

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="walls are Linux's")


def needs(*walls: str) -> None:
    for wall in walls:
        if problem := trial(wall):
            pytest.skip(f"this machine gives no {wall}: {problem}")


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    # Beside, and not below, what a program gets as its /tmp.
    with tempfile.TemporaryDirectory() as folder:
        yield Home(Path(folder).resolve() / "home")


@pytest.fixture(scope="module")
def targets(home: Home) -> Iterator[dict[str, Any]]:
    with others(home.path) as found:
        yield found


@pytest.fixture
def directory(home: Home) -> RunDirectory:
    made = RunDirectory(home.batches / os.urandom(8).hex())
    for folder in (made.work, made.temporary, made.events, made.staged):
        folder.mkdir(parents=True)
    made.launch.write_text("{}")
    made.output.write_text("")
    return made


def isolation_of(home: Home, *walls: str, **settings: Any) -> Isolation:
    tests = Path(attempts.__file__)
    jobs = JobsSettings(isolation="sandbox", readable_folders=(str(tests),), **settings)
    return Isolation(jobs, home, Toolchain(Path(sys.executable), Path(sys.prefix)), walls)


def run(isolation: Isolation, directory: RunDirectory, *program: str, **more: Any) -> Any:
    command = behind(isolation.enclose(directory), [sys.executable, "-I", "-S", *program])
    return subprocess.run(
        command, cwd=directory.work, capture_output=True, text=True, timeout=60, check=False, **more
    )


@pytest.mark.parametrize(
    "walls", [(), (NAMESPACES,), (LANDLOCK,), WALLS], ids=lambda walls: "+".join(walls) or "none"
)
def test_each_attempt_fails_at_the_walls_that_stop_it_and_succeeds_without_them(
    home, directory, targets, walls
):
    needs(*walls)
    told = {**targets, "run": str(directory.path)}
    ended = run(isolation_of(home, *walls), directory, attempts.__file__, json.dumps(told))
    assert ended.returncode == 0, ended.stderr
    outcomes = json.loads(ended.stdout.removeprefix("ATTEMPTS "))
    assert len(outcomes) >= len([1 for attempt in ATTEMPTS.values() if not attempt.root])
    differing = attempts.expected(frozenset(walls), outcomes)
    assert not differing, "\n".join(differing)


#: Nobody's, and a Python that everybody may run.
_ORDINARY, _PYTHON = 43_210, "/usr/bin/python3"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user; the others are one already")
@pytest.mark.skipif(not Path(_PYTHON).exists(), reason=f"there is no {_PYTHON}")
@pytest.mark.parametrize(
    "walls", [(), (NAMESPACES,), (LANDLOCK,), WALLS], ids=lambda walls: "+".join(walls) or "none"
)
def test_each_attempt_fails_for_an_ordinary_user_too(walls):
    needs(*walls)
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        source = Path(launcher.__file__).parent
        shutil.copytree(source, top / "program" / "headland" / "jobs" / "isolation")
        shutil.copy(attempts.__file__, top / "attempts.py")
        run_folder = top / "home" / "batches" / "own"
        for name in ("work", "tmp", "events", "staged", "root"):
            (run_folder / name).mkdir(parents=True)
        (run_folder / "launch.json").write_text("{}")
        lines = [
            *(f"wall {wall}" for wall in walls),
            f"root {run_folder}/root",
            f"tmp {run_folder}/tmp",  # noqa: S108
            f"hide {top}/home",
            f"read {top}/attempts.py",
            f"read {run_folder}/staged",
            f"write {run_folder}/work",
            "processes 100",
        ]
        (run_folder / "walls").write_text("\n".join(lines))
        with others(top / "home", _PYTHON, _ORDINARY) as targets:
            told = json.dumps({**targets, "run": str(run_folder)})

            def started(*program: str) -> "subprocess.CompletedProcess[str]":
                start = "import sys; sys.path.insert(0, sys.argv.pop(1)); "
                start += "from headland.jobs.isolation.launcher import main; main()"
                before = [_PYTHON, "-I", "-S", "-c", start, f"{top}/program", f"{run_folder}/walls", "--"]
                return subprocess.run(
                    [*before, _PYTHON, "-I", "-S", *program],
                    cwd=run_folder / "work",
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=60,
                    user=_ORDINARY,
                    group=_ORDINARY,
                    extra_groups=[],
                )

            ended = started(f"{top}/attempts.py", told)
            assert ended.returncode == 0, ended.stderr
            differing = attempts.expected(
                frozenset(walls), json.loads(ended.stdout.removeprefix("ATTEMPTS "))
            )
            assert not differing, "\n".join(differing)
            if walls:
                each = "if os.fork() == 0:\n        time.sleep(3)\n        os._exit(0)"
                bomb = f"import os, time\nfor _ in range(200):\n    {each}"
                assert "BlockingIOError" in started("-c", bomb).stderr


def test_a_program_writes_to_its_own_and_reads_what_it_is_given(home, directory):
    needs(*WALLS)
    (directory.staged / "app.py").write_text("CROP = 'rye'")
    program = (
        "import os, sys, tempfile\n"
        "run = os.path.dirname(os.getcwd())\n"
        "for folder in ('work', 'tmp', 'events'):\n"
        "    open(f'{run}/{folder}/made', 'w').write('x')\n"
        "open('/tmp/here', 'w').write('x')\n"
        "open('/dev/null', 'w').write('x')\n"
        "print(open(f'{run}/staged/app.py').read(), os.getpid() < 10, len(os.listdir('/proc/self/fd')))\n"
        "print(sorted(name for name in os.listdir(run)))"
    )
    ended = run(isolation_of(home, *WALLS), directory, "-c", program)
    assert ended.stderr == ""
    assert ended.stdout == "CROP = 'rye' True 4\n['events', 'staged', 'tmp', 'work']\n"
    assert (directory.temporary / "here").exists()
    assert list(directory.root.iterdir()) == []


def test_what_is_staged_later_is_seen_by_a_program_that_waits(home, directory):
    """As in a driver that stands ready: folder and file are those that it began with."""
    needs(*WALLS)
    write_private(directory.instances, "[]")
    program = (
        "import sys\n"
        "print('up', flush=True)\n"
        "run = sys.stdin.readline().strip()\n"
        "print(open(f'{run}/staged/0/app.py').read(), open(f'{run}/instances.json').read())"
    )
    command = behind(isolation_of(home, *WALLS).enclose(directory), [sys.executable, "-S", "-c", program])
    storage = Storage(StorageSettings(), home.storage)
    folder = home.storage / "headland" / "default"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text("CROP = 'rye'")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "up\n"
        stage(Submission(file="wasbs:///app.py"), directory, PathRules.of(JobsSettings(), storage))
        write_private(directory.instances, '["mine"]')
        assert process.communicate(f"{directory.path}\n", 30)[0] == "CROP = 'rye' [\"mine\"]\n"


@pytest.mark.parametrize("walls", [(LANDLOCK,), WALLS], ids="+".join)
def test_a_program_ends_behind_walls_as_it_would_without(home, directory, walls):
    needs(*walls)
    isolation = isolation_of(home, *walls)
    for code in (0, 1, 101, 255):
        assert run(isolation, directory, "-c", f"import os; os._exit({code})").returncode == code
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGUSR1):
        program = f"import os; os.kill(os.getpid(), {int(number)})"
        assert run(isolation, directory, "-c", program).returncode == -number
    missing = subprocess.run(
        behind(isolation.enclose(directory), ["/no/such/program"]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert missing.returncode == 127
    assert missing.stderr == "/no/such/program can't be started: No such file or directory\n"


@pytest.fixture
def started(home: Home, directory: RunDirectory) -> Iterator["subprocess.Popen[str]"]:
    """A program with a child that wants to be forgotten; it says so when asked to end."""
    needs(*WALLS)
    program = (
        "import os, signal, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    time.sleep(600)\n"
        "def end(*_):\n"
        "    print('told', flush=True)\n"
        "    sys.exit(3)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('up', flush=True)\n"
        "while True: time.sleep(600)\n"
    )
    command = behind(isolation_of(home, *WALLS).enclose(directory), [sys.executable, "-S", "-c", program])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=directory.work) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def _known(process: "subprocess.Popen[str]") -> list[ProcessIdentity]:
    return [ProcessIdentity.of(pid) for pid in descendants(process.pid)]


def test_a_signal_reaches_the_program_and_its_end_is_that_of_all(started):
    known = _known(started)
    assert len(known) == 3
    started.send_signal(signal.SIGTERM)
    assert started.stdout.readline() == "told\n"
    assert started.wait(30) == 3
    assert not any(each.alive() for each in known)


def test_all_ends_with_whoever_is_killed(started):
    """A launcher that is killed takes all with it: nothing is left that only a look for marks would find."""
    known = _known(started)
    started.kill()
    eventually(lambda: not any(each.alive() for each in known), "all have ended", 30)


def test_descriptors_that_are_not_named_do_not_come_through(home, directory):
    needs(*WALLS)
    isolation = isolation_of(home, *WALLS)
    ours, theirs = socket.socketpair()
    passed = theirs.fileno()
    with ours, theirs, (home.path / "key.pem").open("w") as secret:
        prefix = [*isolation.enclose(directory), str(passed), "--"]
        program = "import os; print(*sorted(os.listdir('/proc/self/fd'), key=int))"
        other = secret.fileno()
        ended = subprocess.run(
            [*prefix, sys.executable, "-I", "-S", "-c", program],
            capture_output=True,
            pass_fds=(passed, other),
            check=True,
        )
    seen = [int(number) for number in ended.stdout.split()]
    assert passed in seen
    # The three, the one that is named, and the look itself.
    assert len(seen) == 5
    assert other not in seen


def test_where_too_few_walls_stand_nothing_is_started(home, directory):
    isolation = isolation_of(home)
    refused = Isolation(isolation.settings, home, isolation.tools, (LANDLOCK,), "there are no namespaces")
    with pytest.raises(IsolationError, match="no namespaces"):
        refused.enclose(directory)


def test_walls_that_cannot_be_put_up_keep_the_program_from_starting(home, directory):
    needs(*WALLS)
    isolation = isolation_of(home, *WALLS)
    command = behind(isolation.enclose(directory), [sys.executable, "-c", "print('it runs')"])
    directory.root.rmdir()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 125
    assert ended.stdout == ""
    assert ended.stderr.startswith("The walls around this job can't be put up: ")


def test_a_folder_with_a_line_break_in_its_name_is_refused(home, directory):
    isolation = isolation_of(home, *WALLS)
    with pytest.raises(IsolationError, match="line break"):
        isolation.enclose(directory, [Path("/a\nhide /b")])


def test_open_files_are_limited(home, directory):
    needs(*WALLS)
    program = "files = []\nwhile True:\n    files.append(open('/dev/null'))"
    ended = run(isolation_of(home, *WALLS, max_open_files=100), directory, "-c", program)
    assert ended.returncode == 1
    assert "Too many open files" in ended.stderr
