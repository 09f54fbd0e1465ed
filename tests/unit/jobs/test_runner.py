"""The runner, as a real process with real programs: once, to the end, and leaving nothing behind."""

import json
import signal
import socket
import subprocess
import sys
import time

import pytest
from tests.serving import eventually

from headland.jobs.runner.processes import ProcessIdentity

SH = ("/bin/sh", "-c")
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are found on Linux only")


def ended(
    exit_code: int | None = None, *, number: int | None = None, killed: bool = False
) -> dict[str, object]:
    return {"exit_code": exit_code, "signal": number, "killed": killed, "problem": None}


def without_time(record: dict[str, object]) -> dict[str, object]:
    """A record of an end, checked to be of this moment."""
    at = record.pop("at")
    assert abs(at / 1000 - time.time()) < 60
    return record


@pytest.mark.parametrize("code", [0, 1, 2, 101, 143, 255])
def test_an_exit_code_is_recorded(job, code):
    assert without_time(job.run(*SH, f"exit {code}")) == ended(code)


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGHUP, signal.SIGUSR1]
)
def test_a_signal_is_recorded(job, number):
    assert without_time(job.run(*SH, f"kill -{int(number)} $$")) == ended(number=number)


def test_both_outputs_are_kept_in_the_order_in_which_they_came(job):
    job.run(*SH, "for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf 'no end'")
    assert job.output == b"out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nno end"
    assert job.directory.output.stat().st_mode & 0o777 == 0o600


def test_a_lot_of_output_holds_nothing_up(job):
    assert job.run(*SH, "head -c 30000000 /dev/zero; echo; echo done")["exit_code"] == 0
    assert job.directory.output.stat().st_size == 30_000_006
    assert job.output.endswith(b"\ndone\n")


def test_a_program_gets_its_arguments_environment_and_folder_and_nothing_else(job):
    arguments = ["", "two words", "$HOME", "ü"]
    program = "import os, sys; print(sys.argv[1:], os.getcwd(), sorted(os.environ), sys.stdin.read())"
    job.run(sys.executable, "-S", "-c", program, *arguments, COLOUR="green", LC_ALL="C.UTF-8")
    variables = ["COLOUR", "HEADLAND_TEST_JOB", "LC_ALL", "PATH", "SAID", "TOLD"]
    assert job.output.decode() == f"{arguments} {job.directory.work} {variables} \n"


IDENTITY = {"service": "/nowhere/tokens.sock", "patience": 0.1}

#: Keeps what it is told of its endpoint, and waits.
TOLD = """
import json, os, sys
names = ("IDENTITY_ENDPOINT", "IDENTITY_HEADER")
with open(os.environ["SAID"], "w") as said: said.write(json.dumps([os.environ[name] for name in names]) + "\\n")
with open(os.environ["TOLD"]) as told: told.readline()
"""


def test_a_program_has_an_endpoint_of_its_own_as_long_as_it_runs(job):
    job.prepare(sys.executable, "-S", "-c", TOLD)
    job.directory.write(
        job.directory.launch, {**job.directory.read(job.directory.launch), "identity": IDENTITY}
    )
    job.start()
    address, header = json.loads(job.heard()[0])
    port = int(address.split(":")[2].split("/")[0])
    introduction = job.directory.read(job.directory.runner)
    assert len(introduction["token_key"]) == 64
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(
            f"GET /msi/token HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Identity-Header: {header}\r\n\r\n".encode()
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 503 ")
    # The header is the program's, the key nobody's but the runner's.
    for file in job.directory.path.rglob("*"):
        assert not file.is_file() or header not in file.read_text("latin-1")
    job.tell()
    assert job.finish()["exit_code"] == 0
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass


def test_an_endpoint_is_gone_when_its_program_is_though_others_linger(job):
    job.prepare(
        *SH,
        "trap '' TERM; (trap '' TERM; exec sleep 100) & echo $IDENTITY_ENDPOINT > $SAID; read line < $TOLD",
    )
    job.directory.write(
        job.directory.launch, {**job.directory.read(job.directory.launch), "identity": IDENTITY}
    )
    job.start()
    port = int(job.heard()[0].split(":")[2].split("/")[0])
    job.tell()

    def gone() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            return True
        return False

    eventually(gone, "the port is closed", 1.0, pause=0.01)
    assert not job.directory.exit.exists(), "what lingers has been waited for before the endpoint was gone"
    job.finish()


def test_a_program_is_not_deaf_to_what_its_runner_ignores(job):
    program = (
        "import signal\n"
        "for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):\n"
        "    print(signal.getsignal(number) != signal.SIG_IGN)\n"
        "print(signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
    )
    job.run(sys.executable, "-S", "-c", program)
    # Python ignores SIGPIPE itself.
    assert job.output == b"True\nTrue\nTrue\nFalse\nset()\n"


def test_a_program_has_no_file_of_its_runners_open(job):
    job.prepare(*SH, "ls /proc/self/fd; readlink /proc/self/fd/0 /proc/self/fd/1")
    job.start(stdin=subprocess.PIPE)
    job.finish()
    *descriptors, standard_input, output = job.output.decode().split()
    # The last is `ls` looking at the folder.
    assert descriptors == ["0", "1", "2", "3"]
    assert standard_input == "/dev/null"
    assert output.startswith("pipe:")


def test_what_a_run_leaves_behind(job):
    job.prepare(*SH, "echo hello; echo here > $SAID; read line < $TOLD")
    job.start()
    job.heard()
    assert job.calls.recv(100)  # it has been said which process it is
    job.tell()
    job.finish()
    assert sorted(entry.name for entry in job.directory.path.iterdir()) == [
        "application.json",
        "exit.json",
        "launch.json",
        "launched",
        "lock",
        "output.log",
        "runner.json",
        "tmp",
        "work",
    ]
    assert job.directory.take_lock() is not None


def test_runner_and_program_say_who_they_are_while_they_run(job):
    job.prepare(*SH, "echo here > $SAID; read line < $TOLD")
    runner = job.start()
    job.heard()
    assert job.calls.recv(100) == job.directory.path.name.encode()
    told = ProcessIdentity.from_record(job.directory.read(job.directory.runner))
    assert (told.pid, told.alive()) == (runner.pid, True)
    record = job.directory.read(job.directory.application)
    assert ProcessIdentity.from_record(record).alive()
    assert abs(record["since"] / 1000 - time.time()) < 60
    assert job.directory.take_lock() is None
    assert job.directory.read(job.directory.exit) is None
    job.tell()
    assert without_time(job.finish()) == ended(0)
    assert not told.alive()
    assert job.calls.recv(100) == job.directory.path.name.encode()


def test_a_runner_needs_nobody_to_listen(job):
    job.prepare(*SH, "exit 5")
    job.calls.close()
    job.start()
    assert without_time(job.finish()) == ended(5)


def test_a_program_runs_once_however_many_runners_there_are(job):
    job.prepare(*SH, "echo run")
    for _ in range(4):
        job.start()
    job.finish()
    first = job.directory.exit.read_bytes()
    job.start()
    job.finish()
    assert job.output == b"run\n"
    assert job.directory.exit.read_bytes() == first


def test_a_second_runner_does_nothing_while_the_first_works(job):
    job.prepare(*SH, "echo here > $SAID; read line < $TOLD")
    first = job.start()
    job.heard()
    second = job.start()
    assert second.wait(20) == 0
    assert first.poll() is None
    assert job.directory.read(job.directory.runner)["pid"] == first.pid
    job.tell()
    assert without_time(job.finish()) == ended(0)


def test_what_was_launched_once_is_not_launched_again_though_its_end_is_unknown(job):
    job.prepare(*SH, "echo run")
    job.directory.write(job.directory.launched, {})
    assert job.start().wait(20) == 0
    assert not job.directory.output.exists()
    assert not job.directory.exit.exists()
    assert not job.directory.runner.exists()


def test_without_a_launch_record_nothing_is_run(job):
    assert job.start().wait(20) == 0
    assert [entry.name for entry in job.directory.path.iterdir()] == ["lock"]


def test_a_job_that_is_not_wanted_any_more_is_never_launched(job):
    job.prepare(*SH, "echo run")
    job.directory.write(job.directory.kill, {})
    job.start()
    assert without_time(job.finish()) == ended(killed=True)
    assert not job.directory.launched.exists()
    assert not job.directory.output.exists()
    assert job.calls.recv(100) == job.directory.path.name.encode()
    first = job.directory.exit.read_bytes()
    job.start()
    job.finish()
    assert job.directory.exit.read_bytes() == first


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("/nowhere/java", "/nowhere/java can't be started: No such file or directory"),
        ("/etc/passwd", "/etc/passwd can't be started: Permission denied"),
        ("/", "/ can't be started: Permission denied"),
    ],
)
def test_what_can_not_be_started_is_a_problem(job, command, problem):
    record = without_time(job.run(command))
    assert record == {**ended(), "problem": problem}
    assert not job.directory.application.exists()


def test_sigterm_to_the_runner_stops_the_program(job):
    job.prepare(*SH, "trap 'echo told; exit 7' TERM; echo here > $SAID; while :; do read line < $TOLD; done")
    runner = job.start()
    job.heard()
    runner.send_signal(signal.SIGTERM)
    assert without_time(job.finish()) == ended(7, killed=True)
    assert job.output == b"told\n"


def test_the_mark_counts_even_before_the_signal(job):
    """A controller that finds no `runner.json` yet leaves the mark alone; the next thing that happens shows it."""
    job.prepare(*SH, "echo here > $SAID; read line < $TOLD")
    runner = job.start()
    job.heard()
    job.directory.write(job.directory.kill, {})
    runner.send_signal(signal.SIGCHLD)
    assert without_time(job.finish()) == ended(number=signal.SIGTERM, killed=True)


@pytest.mark.parametrize("times", [1, 20])
def test_a_program_that_ignores_sigterm_is_killed_after_its_grace(job, times):
    job.prepare(*SH, "trap '' TERM; echo here > $SAID; while :; do read line < $TOLD; done", kill_grace=0.2)
    runner = job.start()
    job.heard()
    began = time.monotonic()
    for _ in range(times):
        runner.send_signal(signal.SIGTERM)
    assert without_time(job.finish()) == ended(number=signal.SIGKILL, killed=True)
    assert time.monotonic() - began >= 0.2


def test_other_signals_do_not_end_a_runner(job):
    job.prepare(*SH, "echo here > $SAID; read line < $TOLD; exit 3")
    runner = job.start()
    job.heard()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        runner.send_signal(number)
    job.tell()
    assert without_time(job.finish()) == ended(3)


#: A program that starts children, among them one in a session of its own and one whose parent has gone, and says
#: the pids of all.
TREE = """
say() { echo $1 > $SAID; }
sleep 1000 & say $!
setsid sh -c 'echo $$ > $SAID; exec sleep 1000' &
(setsid sh -c 'echo $$ > $SAID; sleep 1000; :' &)
sh -c 'sleep 1000 & echo $! > $SAID; exec sleep 1000' & say $!
say $$
"""


def identities(pids: list[str]) -> list[ProcessIdentity]:
    return [ProcessIdentity.of(int(pid)) for pid in pids]


@LINUX
@pytest.mark.parametrize("deaf", ["", "trap '' TERM"], ids=["willing", "deaf"])
def test_a_kill_ends_the_whole_tree(job, deaf):
    job.prepare(*SH, f"{deaf}\n{TREE}\nwait", kill_grace=0.2)
    runner = job.start()
    tree = identities(job.heard(6))
    assert all(process.alive() for process in tree)
    assert len({process.pid for process in tree}) == 6
    runner.send_signal(signal.SIGTERM)
    assert job.finish()["killed"] is True
    assert not any(process.alive() for process in tree)


@LINUX
def test_what_a_program_leaves_running_ends_with_it(job):
    job.prepare(*SH, f"{TREE}\nread line < $TOLD\nexit 4")
    job.start()
    tree = identities(job.heard(6))
    job.tell()
    assert without_time(job.finish()) == ended(4)
    assert not any(process.alive() for process in tree)


@LINUX
def test_what_is_left_and_will_not_go_is_killed(job):
    job.prepare(
        *SH,
        "setsid sh -c \"trap '' TERM; echo \\$\\$ > $SAID; exec sleep 1000\" & read line < $TOLD; exit 0",
    )
    job.start()
    (left,) = identities(job.heard())
    job.tell()
    assert without_time(job.finish()) == ended(0)
    assert not left.alive()


def test_a_runner_needs_nothing_but_the_standard_library():
    program = "import headland.jobs.runner.runner, sys; print(*(name for name in sys.modules if 'headland' in name))"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout.split()
    assert sorted(found) == [
        "headland",
        "headland.jobs",
        "headland.jobs.runner",
        "headland.jobs.runner.children",
        "headland.jobs.runner.output",
        "headland.jobs.runner.processes",
        "headland.jobs.runner.run_directory",
        "headland.jobs.runner.runner",
        "headland.jobs.runner.token_endpoint",
    ]
