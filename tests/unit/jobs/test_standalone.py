"""What a standalone master's and its workers' own answers mean. They are served here as Spark gives them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.manager import ManagerUnreachableError, Phase, UndecidedError
from headland.jobs.clusters.standalone import StandaloneManager
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

TAG = "headland-0123"
TOOLS = Toolchain(Path("/opt/java/bin/java"), Path("/opt/spark"))
RUN = RunDirectory(Path("/home/batches/0123456789abcdef"))
COMMAND = 'Launch Command: "java" "-Dspark.x=1" "-Dspark.headland.tag=%s" "demo.App"\n'
SAID = (
    "26/11/21 14:54:28 INFO Utils: Successfully started service 'SparkUI' on port 4040.\n"
    "26/11/21 14:54:29 INFO StandaloneSchedulerBackend: Connected to Spark cluster with app ID app-7\n"
)


class Spark(ThreadingHTTPServer):
    """Master and worker behind one address."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.status = "ALIVE"
        self.worker_state = "ALIVE"
        self.drivers: dict[str, str] = {}
        self.logs: dict[tuple[str, str], bytes] = {}
        self.asked: list[str] = []
        self.kill_success = True

    def driver(self, driver_id: str, state: str, stderr: str | None = None, stdout: str = "") -> None:
        self.drivers[driver_id] = state
        if stderr is not None:
            self.logs[driver_id, "stderr"] = stderr.encode()
            self.logs[driver_id, "stdout"] = stdout.encode()

    def state(self) -> dict[str, object]:
        listed = [
            {
                "id": driver_id,
                "starttime": "1795272790632",
                "state": state,
                "worker": "None" if state == "SUBMITTED" else "worker-2026-w1-7078",
                "mainclass": "demo.App",
            }
            for driver_id, state in self.drivers.items()
        ]
        worker = {"id": "worker-2026-w1-7078", "host": "w1", "port": 7078, "webuiaddress": self.url}
        final = {"FINISHED", "FAILED", "KILLED", "ERROR"}
        return {
            "status": self.status,
            "workers": [{**worker, "state": self.worker_state}],
            "activeapps": [{"id": "app-7", "name": "x", "user": "farmer"}],
            "completedapps": [],
            "activedrivers": [driver for driver in listed if driver["state"] not in final],
            "completeddrivers": [driver for driver in listed if driver["state"] in final],
        }

    def log(self, query: dict[str, list[str]]) -> bytes:
        log = self.logs.get((query["driverId"][0], query["logType"][0]), b"")
        start = int(query["offset"][0])
        end = min(start + int(query["byteLength"][0]), len(log))
        text = log[start:end].decode("utf-8", "replace")
        return f"==== Bytes {start}-{end} of {len(log)} of /w/{query['driverId'][0]}/x ====\n{text}".encode()


class Answers(BaseHTTPRequestHandler):
    server: Spark

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.server.asked.append(parts.path)
        if parts.path == "/json/":
            self.answer(json.dumps(self.server.state()).encode())
        elif parts.path == "/log/":
            self.answer(self.server.log(parse_qs(parts.query)))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        self.answer(json.dumps({"success": self.server.kill_success}).encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def make_spark():
    made = []

    def make() -> Spark:
        spark = Spark()
        thread = threading.Thread(target=spark.serve_forever, args=(0.01,))
        thread.start()
        made.append((spark, thread))
        return spark

    yield make
    for spark, thread in made:
        spark.shutdown()
        thread.join()
        spark.server_close()


@pytest.fixture
def spark(make_spark) -> Spark:
    return make_spark()


@pytest.fixture
def manager(spark) -> StandaloneManager:
    times = iter(range(0, 10_000, 10))
    return StandaloneManager([spark.url], [spark.url], clock=lambda: float(next(times)))


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        ("SUBMITTED", Phase.WAITING),
        ("RUNNING", Phase.RUNNING),
        ("RELAUNCHING", Phase.RUNNING),
        ("UNKNOWN", Phase.RUNNING),
        ("FINISHED", Phase.SUCCEEDED),
        ("FAILED", Phase.FAILED),
        ("ERROR", Phase.FAILED),
        ("KILLED", Phase.KILLED),
    ],
)
def test_states(spark, manager, state, phase):
    spark.driver("driver-1", state)
    assert manager.find(TAG, "driver-1").phase is phase


def test_what_is_known_of_a_driver(spark, manager):
    spark.driver("driver-1", "RUNNING", COMMAND % TAG + SAID)
    found = manager.find(TAG, "driver-1")
    assert (found.handle, found.app_id, found.host, found.user) == ("driver-1", "app-7", "w1", "farmer")
    assert found.driver_log_url == f"{spark.url}/logPage/?driverId=driver-1&logType=stdout"
    assert found.spark_ui_url == "http://w1:4040"
    assert found.started_at == 1795272790632


def test_a_log_is_read_for_facts_until_they_are_there(spark, manager):
    spark.driver("driver-1", "RUNNING", COMMAND % TAG)
    assert manager.find(TAG, "driver-1").app_id is None
    spark.driver("driver-1", "RUNNING", COMMAND % TAG + SAID)
    assert manager.find(TAG, "driver-1").app_id == "app-7"
    spark.asked.clear()
    assert manager.find(TAG, "driver-1").app_id == "app-7"
    assert spark.asked == ["/json/"]


def test_a_lost_worker_does_not_hide_the_masters_word(spark, manager):
    spark.driver("driver-1", "FINISHED", COMMAND % TAG + SAID)
    spark.worker_state = "DEAD"
    found = manager.find(TAG, "driver-1")
    assert (found.phase, found.app_id, found.driver_log_url) == (Phase.SUCCEEDED, None, None)
    with pytest.raises(ManagerUnreachableError, match="the worker that ran driver-1 is not there"):
        list(manager.driver_log(found))


def test_one_round_asks_the_master_once(spark):
    spark.driver("driver-1", "SUBMITTED")
    manager = StandaloneManager([spark.url], [spark.url], clock=lambda: 5.0)
    for _ in range(20):
        manager.find(TAG, "driver-1")
    assert spark.asked == ["/json/"]


class TestByTag:
    def test_the_one_whose_command_bears_it(self, spark, manager):
        spark.driver("driver-1", "FINISHED", COMMAND % "headland-9")
        spark.driver("driver-2", "RUNNING", COMMAND % TAG)
        spark.driver("driver-3", "RUNNING", f"no command\n{TAG}\n")
        assert manager.find(TAG, None).handle == "driver-2"

    def test_none(self, spark, manager):
        spark.driver("driver-1", "RUNNING", COMMAND % f"{TAG}4")
        spark.driver("driver-2", "ERROR")
        assert manager.find(TAG, None) is None

    def test_each_drivers_command_is_read_once(self, spark, manager):
        spark.driver("driver-1", "RUNNING", COMMAND % "headland-9")
        manager.find(TAG, None)
        manager.find(TAG, None)
        assert spark.asked.count("/log/") == 1

    def test_a_driver_that_no_worker_has_may_be_the_one(self, spark, manager):
        spark.driver("driver-1", "SUBMITTED")
        with pytest.raises(UndecidedError, match="driver-1"):
            manager.find(TAG, None)
        spark.driver("driver-2", "RUNNING", COMMAND % TAG)
        assert manager.find(TAG, None).handle == "driver-2"

    def test_a_driver_that_has_just_started_may_be_the_one(self, spark, manager):
        spark.driver("driver-1", "RUNNING", "")
        with pytest.raises(UndecidedError):
            manager.find(TAG, None)


class TestSeveralMasters:
    def test_the_active_one_is_asked(self, make_spark):
        standby, active = make_spark(), make_spark()
        standby.status = "STANDBY"
        active.driver("driver-1", "RUNNING")
        urls = ["http://127.0.0.1:9", standby.url, active.url]
        assert StandaloneManager(urls, urls).find(TAG, "driver-1").phase is Phase.RUNNING

    @pytest.mark.parametrize("status", ["STANDBY", "RECOVERING", "COMPLETING_RECOVERY"])
    def test_while_none_is_active_nothing_is_known(self, spark, manager, status):
        spark.status = status
        with pytest.raises(ManagerUnreachableError, match=status):
            manager.find(TAG, "driver-1")

    def test_a_kill_goes_on_to_the_one_that_takes_it(self, make_spark):
        standby, active = make_spark(), make_spark()
        standby.kill_success = False
        active.driver("driver-1", "RUNNING")
        manager = StandaloneManager([active.url], [standby.url, "http://127.0.0.1:9", active.url])
        manager.kill(manager.find(TAG, "driver-1"))
        assert active.asked[-1] == "/v1/submissions/kill/driver-1"

    def test_a_kill_that_nobody_takes_is_to_be_repeated(self, spark):
        spark.driver("driver-1", "RUNNING")
        manager = StandaloneManager([spark.url], ["http://127.0.0.1:9"])
        with pytest.raises(ManagerUnreachableError):
            manager.kill(manager.find(TAG, "driver-1"))

    def test_a_kill_of_what_has_ended_is_no_fault(self, spark, manager):
        spark.driver("driver-1", "FINISHED")
        spark.kill_success = False
        manager.kill(manager.find(TAG, "driver-1"))


class TestLog:
    def test_output_then_errors_each_on_lines_of_its_own(self, spark, manager):
        spark.driver("driver-1", "FINISHED", "oh\n", "sown")
        log = b"".join(manager.driver_log(manager.find(TAG, "driver-1")))
        assert log == b"sown\noh\n"

    def test_a_long_log_comes_whole(self, spark, manager):
        text = "".join(f"zäune und wälle, {number} €\n" for number in range(60_000))
        assert len(text.encode()) > 1 << 20
        spark.driver("driver-1", "FINISHED", "", text)
        assert b"".join(manager.driver_log(manager.find(TAG, "driver-1"))) == text.encode()


class TestSubmission:
    @pytest.fixture
    def plan(self):
        def plan(submission: Submission, **settings: object):
            jobs = JobsSettings(**{"master": "spark://one:7077,two:7077", **settings})
            clusters = Clusters(jobs, TOOLS)
            launch = clusters.plan(submission, "batch-7", RUN)
            (text,) = launch.files.values()
            return launch, [line[1:-1] for line in text.splitlines()]

        return plan

    def test_client_mode_is_a_driver_here(self, plan):
        master = "spark://127.0.0.1:7077,127.0.0.2:7077"
        launch, arguments = plan(Submission("/a.jar", "demo.App"), driver_memory="700m", master=master)
        assert "-Xmx700m" in arguments
        at = arguments.index("--master")
        assert arguments[at : at + 4] == ["--master", master, "--deploy-mode", "client"]
        assert "spark.driver.host=127.0.0.1" in arguments, "the address on the way to the master"
        assert not any("bindAddress" in part for part in arguments)
        assert f"spark.eventLog.dir={RUN.events.as_uri()}" in arguments
        assert "SPARK_LOCAL_IP" not in launch.environment

    def test_cluster_mode_submits_to_the_rest_servers(self, plan):
        conf = {
            "spark.driver.extraJavaOptions": "-Da=b",
            "spark.driver.extraClassPath": "/x.jar",
            "spark.master.rest.enabled": "false",
            "spark.headland.tag": "mine",
        }
        launch, arguments = plan(
            Submission("/a.jar", "demo.App", driver_memory="9g", conf=conf),
            deploy_mode="cluster",
            rest_port=16066,
        )
        at = arguments.index("--master")
        assert arguments[at : at + 4] == [
            *("--master", "spark://one:16066,two:16066"),
            *("--deploy-mode", "cluster"),
        ]
        assert "-Xmx512m" in arguments
        assert "-Da=b" not in arguments
        assert arguments[arguments.index("-cp") + 1] == "/opt/spark/jars/*:/opt/spark/conf"
        assert {
            "spark.driver.memory=9g",
            "spark.driver.extraJavaOptions=-Da=b",
            "spark.driver.extraClassPath=/x.jar",
            "spark.master.rest.enabled=true",
            "spark.standalone.submit.waitAppCompletion=false",
            f"spark.headland.tag=headland-{RUN.path.name}",
        } <= set(arguments)
        assert "SPARK_LOCAL_DIRS" not in launch.environment

    @pytest.mark.parametrize(("file", "logged"), [("/a.jar", True), ("https://x/a.jar", False)])
    def test_a_driver_that_can_read_our_files_logs_its_events_there(self, plan, file, logged):
        _, arguments = plan(Submission(file, "demo.App"), deploy_mode="cluster")
        assert any(part.startswith("spark.eventLog.dir=") for part in arguments) is logged

    @pytest.mark.parametrize(
        ("output", "handle"),
        [
            (
                "INFO RestSubmissionClient: Submission successfully created as driver-20261121145521-0002. Polling\n",
                2,
            ),
            ('  "message" : "Driver successfully submitted as driver-20261121145521-0002",\n', 2),
            ("INFO RestSubmissionClient: Submitting a request to launch an application\n", None),
        ],
    )
    def test_the_driver_is_what_the_submitter_says(self, tmp_path, output, handle):
        said = tmp_path / "output.log"
        said.write_text(output)
        clusters = Clusters(JobsSettings(master="spark://one:7077", deploy_mode="cluster"), TOOLS)
        expected = f"driver-20261121145521-000{handle}" if handle else None
        assert clusters.handle(Submission("/a.jar"), said) == expected
        assert clusters.handle(Submission("/a.jar"), tmp_path / "none") is None
