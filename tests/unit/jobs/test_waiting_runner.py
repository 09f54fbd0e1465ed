"""A runner whose program waits for its job, as a real process with a small program in the JVM's place.

The program says that it is ready by a byte on its standard input, a socket, and reads the arguments of its job there.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serving import eventually

import headland
from headland.jobs.runner.processes import ProcessIdentity

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="descendants are found on Linux only"
)

#: Waits as a JVM does, and then prints its arguments. What it is to do otherwise is its own first argument.
PROGRAM = """
import os, socket, sys, time
how, said = sys.argv[1], os.environ["SAID"]
def say(text):
    with open(said, "w") as out: out.write(text + "\\n")
print("noise while it gets ready", flush=True)
say("started")
if how == "fails": sys.exit(3)
if how == "never": time.sleep(600)
if how == "slow":
    with open(os.environ["TOLD"]) as told: told.readline()
line = socket.socket(fileno=0)
line.sendall(b"\\n")
if how == "dies": sys.exit(0)
if how == "deaf":
    line.shutdown(socket.SHUT_RD)
    os.close(0); time.sleep(600)
def exactly(size):
    data = b""
    while len(data) < size:
        more = line.recv(size - len(data))
        if not more: sys.exit(0)
        data += more
    return data
arguments = [exactly(int.from_bytes(exactly(4), "big")).decode() for _ in range(int.from_bytes(exactly(4), "big"))]
print("warm", arguments, flush=True)
if arguments[:1] == ["linger"]:
    say("lingering")
    time.sleep(600)
print("rest", line.recv(1))
sys.exit(int(arguments[-1]))
"""

COLD = ["/bin/sh", "-c", "echo cold; exit 5"]


class Waiting:
    """A waiting runner and the pipe that a controller would hold."""

    def __init__(self, job, how: str, patience: float = 60.0, identity: object = None) -> None:
        self.job, self.directory = job, job.directory
        for folder in (self.directory.work, self.directory.temporary):
            folder.mkdir()
        self.environment = {
            "HEADLAND_TEST_JOB": job.mark,
            "PATH": "/usr/bin:/bin",
            "SAID": str(job.said),
            "TOLD": str(job.told),
        }
        self.directory.write(
            self.directory.warm,
            {
                "command": [sys.executable, "-S", "-c", PROGRAM, how],
                "environment": self.environment,
                "notify": str(job.calls.getsockname()),
                "patience": patience,
                "nice": 0,
                "identity": identity,
            },
        )
        self.runner = subprocess.Popen(
            [sys.executable, "-S", "-m", "headland.jobs.runner", str(self.directory.path), "wait"],
            env={"PYTHONPATH": str(Path(headland.__file__).parent.parent), "HEADLAND_TEST_JOB": job.mark},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        job.runners.append(self.runner)
        job.heard()

    @property
    def program(self) -> int:
        children = Path(f"/proc/{self.runner.pid}/task/{self.runner.pid}/children").read_text().split()
        (pid,) = map(int, children)
        return pid

    def until_ready(self) -> None:
        eventually(self.directory.warmed.exists, "the program is ready", 20)

    def launch(self, *arguments: str) -> None:
        """What the controller writes once it has a job."""
        self.directory.write(
            self.directory.launch,
            {
                "command": COLD,
                "environment": self.environment,
                "arguments": list(arguments),
                "kill_grace": 5.0,
                "log_limit": 1 << 28,
                "notify": str(self.job.calls.getsockname()),
            },
        )

    def say(self, word: bytes = b"go\n") -> None:
        os.write(self.runner.stdin.fileno(), word)
        self.runner.stdin.close()

    def returned(self) -> int:
        """The exit code of a runner that ends without having been told anything."""
        code = self.runner.wait(20)
        self.runner.stdin.close()
        return code

    def ended(self) -> tuple[int, bytes]:
        if not self.runner.stdin.closed:
            self.runner.stdin.close()
        self.runner.stdin = None
        said, _ = self.runner.communicate(timeout=20)
        return self.runner.returncode, said

    def exit_code(self) -> object:
        assert self.ended() == (0, b"")
        return self.directory.read(self.directory.exit)["exit_code"]


def test_a_job_runs_in_the_program_that_waits(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    program = waiting.program
    waiting.launch("a b", "", "ü€😀", "two\nlines", "x" * 500_000, "7")
    waiting.say()
    assert waiting.exit_code() == 7
    arguments = ["a b", "", "ü€😀", "two\nlines", "x" * 500_000, "7"]
    # Nothing that was said before is in the output, and the standard input ends after the arguments.
    assert job.output.decode() == f"warm {arguments}\nrest b''\n"
    assert job.directory.read(job.directory.application)["pid"] == program
    assert job.directory.launched.exists()


@pytest.mark.parametrize("how", ["well", "slow"])
def test_the_endpoint_is_there_before_the_job_and_the_same_for_a_cold_start(job, how):
    identity = {"service": "/nowhere/tokens.sock", "patience": 0.1}
    waiting = Waiting(job, how, patience=60.0 if how == "well" else 0.1, identity=identity)
    if how == "well":
        waiting.until_ready()
    else:
        eventually(job.said.exists, "the program has begun", 20)
    introduction = job.directory.read(job.directory.runner)
    variables = Path(f"/proc/{waiting.program}/environ").read_bytes().split(b"\0")
    told = sorted(variable for variable in variables if variable.startswith(b"IDENTITY_"))
    assert [variable.partition(b"=")[0] for variable in told] == [b"IDENTITY_ENDPOINT", b"IDENTITY_HEADER"]
    waiting.launch("0")
    job.directory.write(
        job.directory.launch,
        {
            **job.directory.read(job.directory.launch),
            "command": ["/bin/sh", "-c", "env | grep ^IDENTITY_ | sort"],
        },
    )
    waiting.say()
    assert waiting.exit_code() == 0
    assert job.directory.read(job.directory.runner) == introduction
    if how == "slow":
        assert job.output.splitlines() == told


def test_the_word_may_come_before_the_program_is_ready(job):
    waiting = Waiting(job, "slow")
    waiting.launch("0")
    waiting.say()
    job.tell()
    assert waiting.exit_code() == 0
    assert job.output == b"warm ['0']\nrest b''\n"


@pytest.mark.parametrize("how", ["fails", "dies"])
def test_a_program_that_ends_before_there_is_a_job_ends_its_runner(job, how):
    waiting = Waiting(job, how)
    assert waiting.returned() == int(how == "fails")
    assert not job.directory.launched.exists()
    assert not job.directory.exit.exists()
    assert job.directory.take_lock() is not None


def test_a_program_that_never_gets_ready_is_ended(job):
    waiting = Waiting(job, "never", patience=0.2)
    assert waiting.returned() == 1
    assert not job.directory.launched.exists()


def test_without_a_job_everything_ends_with_the_controller(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    program = ProcessIdentity.of(waiting.program)
    assert waiting.ended() == (1, b"")
    assert not program.alive()
    assert not job.directory.launched.exists()
    assert not job.directory.exit.exists()


def test_a_controller_that_dies_between_launch_record_and_word_has_said_enough(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    waiting.launch("4")
    assert waiting.exit_code() == 4
    assert job.output == b"warm ['4']\nrest b''\n"


def test_a_job_that_is_not_wanted_any_more_is_not_run(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    waiting.launch("0")
    job.directory.write(job.directory.kill, {})
    waiting.say()
    assert waiting.ended() == (0, b"")
    record = job.directory.read(job.directory.exit)
    assert (record["killed"], record["exit_code"]) == (True, None)
    assert not job.directory.launched.exists()
    assert not job.directory.output.exists()


def test_a_program_that_is_dead_when_the_word_comes_is_replaced(job):
    """Both are there when the runner looks: it was stopped while they came."""
    waiting = Waiting(job, "well")
    waiting.until_ready()
    program = waiting.program
    waiting.runner.send_signal(signal.SIGSTOP)
    os.kill(program, signal.SIGKILL)
    waiting.launch("0")
    waiting.say()
    waiting.runner.send_signal(signal.SIGCONT)
    assert waiting.exit_code() == 5
    assert job.output == b"cold\n"


@pytest.mark.parametrize("how", ["fails", "never"])
def test_a_program_that_does_not_get_ready_for_its_job_is_replaced(job, how):
    waiting = Waiting(job, "never", patience=0.5)
    waiting.launch("0")
    if how == "fails":
        waiting.runner.send_signal(signal.SIGSTOP)
        os.kill(waiting.program, signal.SIGKILL)
    waiting.say()
    waiting.runner.send_signal(signal.SIGCONT)
    assert waiting.exit_code() == 5
    assert job.output == b"cold\n"


def test_a_kill_reaches_a_program_that_waited(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    waiting.launch("linger")
    waiting.say()
    job.heard()
    waiting.runner.send_signal(signal.SIGTERM)
    assert waiting.ended() == (0, b"")
    record = job.directory.read(job.directory.exit)
    assert (record["killed"], record["signal"]) == (True, signal.SIGTERM)


def test_a_runner_that_is_killed_while_it_waits_takes_its_program_with_it(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    program = ProcessIdentity.of(waiting.program)
    waiting.runner.kill()
    assert waiting.returned() == -signal.SIGKILL
    eventually(lambda: not program.alive(), "the program has seen its input end", 20)
    assert not job.directory.launched.exists()


def test_only_one_runner_works_in_a_directory(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    waiting.launch("0")
    assert job.start().wait(20) == 0
    waiting.say()
    assert waiting.exit_code() == 0
    assert job.output == b"warm ['0']\nrest b''\n"


@pytest.mark.parametrize("mark", ["launch", "launched"])
def test_a_directory_that_has_seen_a_job_is_not_for_waiting_in(job, mark):
    job.directory.write(getattr(job.directory, mark), {})
    runner = subprocess.run(
        [sys.executable, "-S", "-m", "headland.jobs.runner", str(job.directory.path), "wait"],
        env={"PYTHONPATH": str(Path(headland.__file__).parent.parent)},
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=20,
    )
    assert runner.returncode == 1
    assert not job.directory.output.exists()


def test_a_sigterm_from_before_the_job_does_not_kill_the_job(job):
    waiting = Waiting(job, "well")
    waiting.until_ready()
    waiting.runner.send_signal(signal.SIGTERM)
    waiting.launch("0")
    waiting.say()
    assert waiting.exit_code() == 0
    assert job.directory.read(job.directory.exit)["killed"] is False


def resident(pid: int | str) -> int:
    """Kilobytes of memory that a process occupies."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


def test_a_runner_is_hardly_larger_than_python_itself(job):
    """The aim is 12 MB in all, of which Python 3.11 takes 8.6 before it does anything; other Pythons take more."""
    bare = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    job.prepare("/bin/sh", "-c", "echo here > $SAID; read line < $TOLD")
    runner = job.start()
    job.heard()
    assert job.calls.recv(100)
    extra = resident(runner.pid) - resident(bare.pid)
    bare.communicate(b"\n")
    job.tell()
    job.finish()
    assert extra < 3.8 * 1024
