"""Warm drivers and the startup cache with real Spark: what a batch sees of them is nothing but the time."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.serving import APPLICATIONS, QUICK_JAVA, Served, eventually

from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.startup import MadeFile, StartupCache
from headland.settings import JobsSettings

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

PROBE = "headland.tests.Probe"

#: A driver with this option of its own can't be a warm one.
COLD = {"spark.driver.extraJavaOptions": f"{QUICK_JAVA} -Dcold=1"}

#: What differs between any two runs of an application.
VARYING = re.compile(
    r"spark\.(app\.(id|startTime|submitTime|initial\.\S+)|driver\.(port|extraJavaOptions)|eventLog\.dir)="
)


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland with a startup cache, and with drivers that stand ready."""
    running = Served(tmp_path_factory.mktemp("fast") / "my farm ü 100%", jobs_warm_drivers="1")
    try:
        running.start()
        assert cache_of(running)
        yield running
    finally:
        running.close()


def cache_of(served: Served) -> list[Path]:
    return list((served.home / "cache").glob("startup-*"))


def drivers_of(served: Served) -> list[Path]:
    """Run directories whose driver stands ready and waits."""
    found = (file.parent for file in (served.home / "batches").glob("*/warmed"))
    return [folder for folder in found if not (folder / "launched").exists()]


def processes_of(served: Served) -> list[str]:
    """Command lines of runners and JVMs on a home's directories."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = process.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"{served.home}/batches/" in command or f"{served.home}/cache/" in command:
            found.append(command)
    return found


def run(served: Served, *, warm: bool = True, **body: object) -> tuple[str, list[str], Path]:
    """Run a batch to its end, in a driver that stands ready or not; its state, log and run directory."""
    if warm:
        eventually(lambda: drivers_of(served), "a driver stands ready")
    batch = served.submit(**body).json()["id"]
    state = served.wait(batch)
    directory = served.run_directory(batch)
    assert (directory / "warmed").exists() == warm
    return state, served.lines(batch), directory


def loggers(lines: list[str]) -> list[str]:
    """Who wrote the first lines of Spark's log. Warnings are left out: Hadoop gives one once in the life of a JVM."""
    return [line.split(" ", 3)[3].partition(":")[0] for line in lines if " INFO " in line][:10]


def test_an_application_sees_in_a_warm_driver_what_it_sees_in_a_cold_one(fast: Served, probe: Path) -> None:
    body = {
        "file": fast.put(probe, "jars/probe.jar"),
        "className": PROBE,
        "args": ["tell", "a b", "ü€😀", "two\nlines"],
    }

    def told(lines: list[str], directory: Path) -> list[str]:
        """What the application and Spark itself say of their surroundings, without what is different each time."""
        found = [line.replace(directory.name, "KEY") for line in lines if re.match(r"[a-z]+[ =]", line)]
        return [line for line in found if not VARYING.search(line)]

    name = {"name": "same", "conf": {"spark.sql.shuffle.partitions": "3"}}
    state, warm, directory = run(fast, **body, **name)
    cold_state, cold, cold_directory = run(
        fast, warm=False, **body, name="same", conf={**name["conf"], **COLD}
    )
    assert (state, cold_state) == ("success", "success")
    assert told(warm, directory) == told(cold, cold_directory)
    assert "sum=5050" in warm
    # From the very first line on: nothing is left of the warming up, and Spark's log is set up as ever.
    assert warm[:2] == cold[:2]
    assert loggers(warm) == loggers(cold)
    assert not any("aot" in line or "cds" in line for line in [*warm, *cold])
    assert [entry.name for entry in (directory / "work").iterdir()] == [
        entry.name for entry in (cold_directory / "work").iterdir()
    ]


def test_an_exit_code_and_an_exception_end_a_batch_as_ever(fast: Served, probe: Path) -> None:
    body = {"file": fast.put(probe, "jars/probe.jar"), "className": PROBE}
    state, lines, _ = run(fast, **body, args=["exit", "7"])
    assert state == "dead"
    assert any("exit code 7" in line for line in lines)
    state, warm, _ = run(fast, **body, args=["fail"])
    _, cold, _ = run(fast, warm=False, **body, args=["fail"], conf=COLD)
    assert state == "dead"

    def diagnostics(lines: list[str]) -> list[str]:
        return [line for line in lines if "diagnostics" in line or line.startswith("Exception in thread")]

    assert diagnostics(warm) == diagnostics(cold)
    assert any("the drill is out of seed" in line for line in diagnostics(warm))


def test_a_python_program_runs_in_a_warm_driver(fast: Served) -> None:
    body = {"file": fast.put(APPLICATIONS / "probe.py", "programs/plain.py"), "args": ["fail"]}
    state, warm, _ = run(fast, **body)
    cold_state, cold, _ = run(fast, warm=False, **body, conf=COLD)
    assert state == cold_state
    assert [line for line in warm if "diagnostics" in line] == [
        line for line in cold if "diagnostics" in line
    ]


@pytest.mark.long
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_no_driver_is_left_when_the_service_ends(fast: Served, how: str) -> None:
    eventually(lambda: drivers_of(fast), "a driver stands ready")
    assert processes_of(fast)
    if how == "stop":
        fast.stop()
    else:
        fast.kill()
    eventually(lambda: not processes_of(fast), "nothing is left of it", 20)
    left = drivers_of(fast)
    assert bool(left) == (how == "kill")
    fast.start()
    eventually(lambda: drivers_of(fast), "another stands ready")
    assert not set(left) & set(drivers_of(fast))


@pytest.mark.parametrize("damage", ["empty", "short", "header", "foreign"])
def test_java_says_nothing_of_a_cache_that_does_not_fit(
    fast: Served, tmp_path: Path, damage: str, make_copy: Callable[[Path, str], Path]
) -> None:
    """It may get to see one that was damaged since the service looked."""
    tools = Toolchain.of(JobsSettings())
    (made,) = cache_of(fast)
    file = MadeFile(tmp_path, "startup", "key", made.suffix)
    file.adopt(make_copy(made, damage))
    options = StartupCache(tools, file).use()
    assert options
    classes = str(tmp_path) if damage == "foreign" else tools.archives
    command = [str(tools.java), *options, "-cp", classes, "-Xmx200m", "-version"]
    plain = subprocess.run([str(tools.java), "-version"], capture_output=True, check=True)
    said = subprocess.run(command, capture_output=True, check=True)
    version = [line for line in said.stderr.splitlines() if b"VM" not in line]
    assert (said.stdout, version) == (b"", [line for line in plain.stderr.splitlines() if b"VM" not in line])


def test_a_damaged_cache_is_made_anew(fast: Served, make_copy: Callable[[Path, str], Path]) -> None:
    """What sees it first: the service, when it starts. How the making ends is seen when the tests' own is made, by a
    service that finds a damaged one: `tests/startup.py`.
    """
    fast.stop()
    (made,) = cache_of(fast)
    # The file is other homes' as well: what is damaged is a copy.
    make_copy(made, "middle").rename(made)
    before = fast.log.read_text().count('"startup.making"')
    fast.start()
    eventually(lambda: fast.log.read_text().count('"startup.making"') > before, "it is being made anew")
    assert not made.exists()


@pytest.fixture
def make_copy(tmp_path: Path) -> Callable[[Path, str], Path]:
    def make(made: Path, damage: str) -> Path:
        copy = tmp_path / "copy"
        shutil.copy(made, copy)
        with copy.open("r+b") as opened:
            if damage == "empty":
                opened.truncate(0)
            elif damage == "middle":
                opened.seek(made.stat().st_size // 2)
                opened.write(b"\xff" * 65_536)
            elif damage == "short":
                opened.truncate(made.stat().st_size // 2)
            elif damage == "header":
                opened.write(b"\xff" * 512)
        return copy

    return make
