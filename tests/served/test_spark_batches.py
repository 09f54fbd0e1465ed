"""Real Spark: what a request asks for reaches the application, and states come from what happened."""

import json
import os
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.serving import APPLICATIONS, QUICK_JAVA, Served, eventually, with_argument

pytestmark = pytest.mark.spark

PROBE = "headland.tests.Probe"

#: Of a JVM of its own.
COLD = {"spark.driver.extraJavaOptions": f"{QUICK_JAVA} -Dof.its.own=1"}

#: Says more than what takes its words holds (a pipe of 1 MiB) once it may, and ends at once.
LAST_WORDS = """
import os, pathlib, sys, time

mark = pathlib.Path(sys.argv[1])
mark.with_suffix(".pid").write_text(str(os.getpid()))
while not mark.exists():
    time.sleep(0.02)
for number in range(3000):
    print("furrow", number, "." * 345)
sys.stdout.flush()
os._exit(3)
"""


@pytest.fixture(scope="module")
def batches(
    served: Served, probe: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, int]]:
    """All batches of this module, submitted at once so that they run two by two while tests look."""
    folder = tmp_path_factory.mktemp("parts")
    jar = served.put(probe, "jars/probe.jar")
    note = folder / "note.txt"
    note.write_text("sown in October\n")
    packed = folder / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.txt", "drilled at 3 cm\n")
    extra = folder / "extra.jar"
    with zipfile.ZipFile(probe) as source, zipfile.ZipFile(extra, "w") as archive:
        for name in source.namelist():
            archive.writestr(name, source.read(name))
    module = folder / "helper.py"
    module.write_text("CROP = 'winter wheat'\n")
    broken = folder / "broken.jar"
    broken.write_bytes(b"not a zip file")
    python = served.put(APPLICATIONS / "probe.py", "programs/probe.py")
    bodies = {
        "tell": {
            "file": jar,
            "className": PROBE,
            "args": ["tell", "a b", "", 'quote " and \\ back', "*", "@x", 1, True, 2.5, "ü€😀", "two\nlines"],
            "jars": [served.put(extra, "jars/extra.jar")],
            "files": [served.put(note, "notes/note.txt")],
            "archives": [served.put(packed, "packed.zip") + "#packed"],
            "driverMemory": "600m",
            "driverCores": "1",
            "executorMemory": "700m",
            "executorCores": 1,
            "numExecutors": 1,
            "queue": "harvest",
            "name": "tell-all",
            "proxyUser": "agronomist",
            "conf": {
                "spark.probe.file": "note.txt",
                "spark.probe.archive": "packed/inside.txt",
                "spark.probe.class": PROBE,
                "spark.probe.number": 7,
                "spark.master": "local[7]",
                "spark.driver.extraJavaOptions": "-Dprobe.one=1 '-Dprobe.two=a b'",
            },
        },
        "python": {"file": python, "args": ["barley"], "pyFiles": [served.put(module, "programs/helper.py")]},
        "fail": {"file": jar, "className": PROBE, "args": ["fail"]},
        "python fail": {"file": python, "args": ["fail"]},
        "exit": {"file": jar, "className": PROBE, "args": ["exit", "7"]},
        "no class": {"file": jar, "className": "headland.tests.Nowhere"},
        "no jar": {"file": served.put(broken, "jars/broken.jar"), "className": PROBE},
        "vanished": {"file": served.put(probe, "jars/vanishing.jar"), "className": PROBE},
    }
    ids = {}
    for name, body in bodies.items():
        answer = served.submit(**body)
        assert answer.status_code == 201, answer.text
        ids[name] = answer.json()["id"]
    (served.home / "storage/headland/default/jars/vanishing.jar").unlink()
    yield ids
    for batch in ids.values():
        served.public.delete(f"/livy/batches/{batch}")


def report_of(lines: list[str]) -> dict[str, str]:
    """The application report at the end of a log."""
    start = lines.index("\nstderr: ") + 1
    return dict(line.strip().split(": ", 1) for line in lines[start : start + 7])


class TestSuccess:
    def test_every_field_reaches_the_application(self, served: Served, batches: dict[str, int]) -> None:
        batch = batches["tell"]
        assert served.wait(batch) == "success", "\n".join(served.lines(batch))
        lines = served.lines(batch)
        conf = dict(line[5:].split("=", 1) for line in lines if line.startswith("conf "))
        told = [line for line in lines if line.startswith("argument ")]
        assert told == [
            "argument 0=<a b>",
            "argument 1=<>",
            'argument 2=<quote " and \\ back>',
            "argument 3=<*>",
            "argument 4=<@x>",
            "argument 5=<1>",
            "argument 6=<true>",
            "argument 7=<2.5>",
            "argument 8=<ü€😀>",
            "argument 9=<two",
        ]
        assert conf["spark.driver.memory"] == "600m"
        assert conf["spark.driver.cores"] == "1"
        assert conf["spark.executor.memory"] == "700m"
        assert conf["spark.executor.cores"] == "1"
        assert conf["spark.executor.instances"] == "1"
        assert conf["spark.yarn.queue"] == "harvest"
        assert conf["spark.app.name"] == "tell-all"
        assert conf["spark.probe.number"] == "7"
        assert {"property probe.one=1", "property probe.two=a b"} <= set(lines)
        assert {"user=agronomist", "file=sown in October", "archive=drilled at 3 cm", "sum=5050"} <= set(
            lines
        )
        assert f"class={PROBE}" in lines

    def test_master_is_the_deployments_to_choose(self, served: Served, batches: dict[str, int]) -> None:
        served.wait(batches["tell"])
        assert "conf spark.master=local[*]" in served.lines(batches["tell"])

    def test_nothing_of_the_services_environment_reaches_it(
        self, served: Served, batches: dict[str, int]
    ) -> None:
        served.wait(batches["tell"])
        names = next(line for line in served.lines(batches["tell"]) if line.startswith("environment="))
        assert {n for n in names.removeprefix("environment=").split(",") if n.startswith("HEADLAND")} == {
            "HEADLAND_RUN",
            # What a job is told (docs/job-identity.md).
            "HEADLAND_URL",
            "HEADLAND_INSTANCES",
        }

    def test_log_ends_with_report_and_shutdown(self, served: Served, batches: dict[str, int]) -> None:
        served.wait(batches["tell"])
        lines = served.lines(batches["tell"])
        report = report_of(lines)
        assert list(report) == [
            "diagnostics",
            "ApplicationMaster host",
            "queue",
            "start time",
            "final status",
            "tracking URL",
            "user",
        ]
        assert report["diagnostics"] == "N/A"
        assert report["queue"] == "harvest"
        assert report["final status"] == "SUCCEEDED"
        assert report["user"] == "agronomist"
        assert report["tracking URL"] == f"{served.url}/livy/batches/{batches['tell']}/log"
        assert int(report["start time"]) > 1_700_000_000_000
        assert "Shutdown: the application ended with exit code 0" in lines[-2]
        assert "Shutdown complete" in lines[-1]

    def test_record_names_the_application(self, served: Served, batches: dict[str, int]) -> None:
        served.wait(batches["tell"])
        record = served.public.get(f"/livy/batches/{batches['tell']}").json()
        assert record["appId"].startswith("local-")
        assert record["appInfo"] == {
            "driverLogUrl": f"{served.url}/livy/batches/{batches['tell']}/log",
            "sparkUiUrl": None,
            "executorLogUrls": None,
        }
        assert record["name"] == "tell-all"
        assert record["proxyUser"] == "agronomist"
        assert record["owner"] == served.administrator["clientId"]
        assert record["log"] == served.lines(batches["tell"])[-10:]

    def test_progress_counts_sparks_tasks(self, served: Served, batches: dict[str, int]) -> None:
        served.wait(batches["tell"])
        progress = served.public.get(f"/livy/batches/{batches['tell']}/progress").json()
        assert progress["state"] == "success"
        assert progress["tasks"] == progress["completed"] > 0
        assert all(stage["state"] == "complete" for stage in progress["stages"])

    def test_python_program_runs_with_its_modules(self, served: Served, batches: dict[str, int]) -> None:
        batch = batches["python"]
        assert served.wait(batch) == "success", "\n".join(served.lines(batch))
        assert {"helper says winter wheat", "argument barley", "counted 42"} <= set(served.lines(batch))

    def test_run_directory_keeps_no_staged_files(self, served: Served, batches: dict[str, int]) -> None:
        served.wait(batches["tell"])
        directory = served.run_directory(batches["tell"])
        assert not (directory / "staged").exists()
        assert not (directory / "tmp").exists()
        assert directory.stat().st_mode & 0o077 == 0


class TestFailure:
    @pytest.mark.parametrize(
        ("name", "cause"),
        [
            ("fail", "The application threw java.lang.IllegalStateException: the drill is out of seed"),
            ("python fail", "The program raised ValueError: no seed left"),
            ("exit", "The application ended with exit code 7 and did not say why."),
            (
                "no class",
                "The entry class 'headland.tests.Nowhere' is not in the application archive wasbs:///jars/probe.jar.",
            ),
            (
                "no jar",
                "wasbs:///jars/broken.jar is not an application archive: a jar is a zip file, and this is none.",
            ),
        ],
    )
    def test_dead_with_the_cause_in_plain_words(
        self, served: Served, batches: dict[str, int], name: str, cause: str
    ) -> None:
        assert served.wait(batches[name]) == "dead"
        report = report_of(served.lines(batches[name]))
        assert report["diagnostics"] == cause
        assert report["final status"] == "FAILED"

    def test_an_archive_that_vanished_is_named(self, served: Served, batches: dict[str, int]) -> None:
        assert served.wait(batches["vanished"]) == "dead"
        cause = report_of(served.lines(batches["vanished"]))["diagnostics"]
        assert "jars/vanishing.jar" in cause
        assert not served.run_directory(batches["vanished"]).joinpath("launched").exists()

    def test_the_last_words_of_a_program(self, served: Served, tmp_path: Path) -> None:
        """Whoever takes them may be late: here nobody does until the program is gone, and some time more."""
        program, mark = tmp_path / "last_words.py", tmp_path / "mark"
        program.write_text(LAST_WORDS)
        batch = served.submit(
            file=served.put(program, "programs/last_words.py"), args=[str(mark)], conf=COLD
        ).json()["id"]
        eventually(
            lambda: mark.with_suffix(".pid").exists() and mark.with_suffix(".pid").read_text(),
            "the program runs",
        )
        runner = json.loads((served.run_directory(batch) / "runner.json").read_text())["pid"]
        os.kill(runner, signal.SIGSTOP)
        try:
            mark.touch()
            eventually(lambda: not with_argument(str(mark)), "the program is gone")
            time.sleep(1)
        finally:
            os.kill(runner, signal.SIGCONT)
        assert served.wait(batch) == "dead"
        assert [line for line in served.lines(batch) if line.startswith("furrow 2999 ")]
