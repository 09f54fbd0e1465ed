"""A session with a real driver, through the service's ends and the cell's own."""

import ast
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.loop_lag import MOST_LAG, MOST_MEMORY, PeakMemory, served_lag
from tests.served.notebooks import HEADERS, Notebook
from tests.served.test_hostile_requests import pids_of
from tests.served.test_processes import processes_of
from tests.serving import Served, eventually, own_pid, running

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("sessions") / "home", jobs_output_limit="100000")
    with running(served):
        yield served


@pytest.fixture(scope="module")
def notebook(served: Served) -> Notebook:
    return Notebook(served, name="plough").is_idle()


def test_a_session_that_is_up(notebook: Notebook) -> None:
    # Its host says that it is up before its row does.
    info = eventually(
        lambda: (found := notebook.get()["appInfo"])["driverLogUrl"] and found, "its row says so"
    )
    assert info["driverLogUrl"].endswith(f"{notebook.path}/log")
    record = notebook.get()
    assert record["appId"].startswith("local-")
    assert record["log"][0] == "stdout: "


def test_values_errors_and_names(notebook: Notebook) -> None:
    assert notebook.text("seeds = spark.range(4)\nseeds.count()") == "4"
    assert notebook.text("print(sc.parallelize(range(10), 2).map(lambda v: v * 2).sum())") == "90"
    failed = notebook.run("print('before')\nseeds.nothing()")
    assert (failed["status"], failed["ename"]) == ("error", "PySparkAttributeError")
    assert failed["data"] == {"text/plain": "before"}
    assert notebook.text("seeds.count()") == "4"


#: Requests of a megabyte to a session that is up: below its path, and what is sent.
LARGE = {
    "a statement of one line": ("/statements", {"code": "x = '" + "a" * 1_000_000 + "'"}),
    "a statement of many lines": ("/statements", {"code": "x = 1\n" * 160_000}),
    "a statement that is none": ("/statements", {"code": "((" * 500_000}),
    "output of many lines": ("/statements", {"code": "print('a\\n' * 500_000)"}),
    "what to complete": ("/completion", {"code": "a." * 500_000, "kind": "pyspark", "cursor": 1_000_000}),
}


@pytest.mark.parametrize("name", LARGE)
def test_no_request_to_a_session_holds_up_the_others(served: Served, notebook: Notebook, name: str) -> None:
    path, body = LARGE[name]
    pids = pids_of(served)
    peaks = [PeakMemory(pid) for pid in pids]
    begun: list[int] = []

    def ask() -> None:
        answer = notebook.client.post(notebook.path + path, json=body, headers=HEADERS)
        assert answer.status_code in {200, 201}, answer.text[:300]
        if answer.status_code == 201:
            begun.append(answer.json()["id"])
            notebook.ended(begun[-1])

    with served.client() as health:
        assert served_lag(health, ask, pids) < MOST_LAG
    assert max(peak.more() for peak in peaks) < MOST_MEMORY


def test_an_error_of_java_names_its_cause_first(notebook: Notebook) -> None:
    failed = notebook.run("sc._jvm.java.lang.Class.forName('farm.Nothing')")
    first, where = failed["evalue"].splitlines()
    assert first == "java.lang.ClassNotFoundException: farm.Nothing"
    assert where.startswith("An error occurred while calling")
    assert "\tat " in "".join(failed["traceback"])


def test_the_gateway_demands_its_token(notebook: Notebook) -> None:
    code = (
        "from py4j.java_gateway import GatewayParameters, JavaGateway\n"
        "port = sc._gateway.gateway_parameters.port\n"
        "bare = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token='guess'))\n"
        "bare.jvm.System.currentTimeMillis()"
    )
    assert notebook.run(code)["status"] == "error"
    assert notebook.text("import os; [name for name in os.environ if 'GATEWAY' in name]") == "[]"


def test_sessions_of_two_owners_share_nothing(served: Served, notebook: Notebook) -> None:
    """Neither processes, a directory, a gateway and its secret, nor what is printed."""
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    made = served.public.post("/identity/applications", json={"name": "Eva"}, headers=own).json()
    path = f"/identity/applications/{made['clientId']}/secrets"
    secret = served.public.post(path, json={}, headers=own).json()["secret"]
    token = served.token(client_id=made["clientId"], client_secret=secret)
    before = {folder.name for folder in (served.home / "sessions").iterdir()}
    with served.client(token) as client:
        other = Notebook(served, client=client).is_idle()
        assert other.get()["owner"] != notebook.get()["owner"]
        told = (
            "import os; sc._jvm.System.out.println({!r}); "
            "((os.getpid(), os.readlink('/proc/self/ns/pid')), os.getcwd(), {}.port)"
        )
        gateway = "sc._gateway.gateway_parameters"
        (pid, folder, port), (its_pid, its_folder, its_port) = (
            ast.literal_eval(each.text(told.format(word, gateway)))
            for each, word in ((notebook, "barley"), (other, "oats"))
        )
        assert (pid != its_pid, folder != its_folder, port != its_port) == (True, True, True)
        (key,) = {path.name for path in (served.home / "sessions").iterdir()} - before
        assert its_pid[0] in map(own_pid, processes_of(key))
        assert not processes_of(key).keys() & processes_of(*before).keys()
        code = (
            "from py4j.java_gateway import GatewayParameters, JavaGateway\n"
            f"mine = GatewayParameters(port={its_port}, auth_token={gateway}.auth_token)\n"
            "JavaGateway(gateway_parameters=mine).jvm.System.currentTimeMillis()"
        )
        assert notebook.run(code)["status"] == "error"
        logs = [each.get("/log?size=-1")["log"] for each in (notebook, other)]
        assert [("barley" in log, "oats" in log) for log in logs] == [(True, False), (False, True)]
        assert client.delete(other.path).status_code == 200


def test_outputs_that_are_too_long_are_cut(notebook: Notebook) -> None:
    text = notebook.text("print('a' * 200000); print('end')")
    assert "bytes of output were cut here" in text
    assert text.endswith("end")
    too_long = notebook.run("many = ['a' * 1000] * 300\n%json many")
    assert too_long["ename"] == "OutputTooLarge"


def test_a_python_loop_is_cancelled(notebook: Notebook) -> None:
    running, waiting = notebook.begin("while True: pass"), notebook.begin("1")
    eventually(lambda: notebook.get(f"/statements/{running}")["state"] == "running", "it runs")
    assert notebook.get()["state"] == "busy"
    assert notebook.post(f"/statements/{waiting}/cancel") == {"msg": "canceled"}
    assert notebook.get(f"/statements/{waiting}")["state"] == "cancelled"
    notebook.post(f"/statements/{running}/cancel")
    ended = notebook.ended(running)
    assert (ended["state"], ended["output"]["ename"]) == ("cancelled", "KeyboardInterrupt")
    assert notebook.text("1 + 1") == "2"


def test_a_spark_job_is_cancelled_and_says_how_far_it_is(notebook: Notebook, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = (
        "import pathlib, time\n"
        "def wait(n):\n"
        f"    while n > 1 and not pathlib.Path({str(mark)!r}).exists(): time.sleep(0.05)\n"
        "    return n\n"
        "sc.parallelize(range(8), 8).map(wait).count()"
    )
    number = notebook.begin(code)

    def progress() -> float:
        return float(notebook.get(f"/statements/{number}")["progress"])

    eventually(lambda: progress() == 0.25, "two of eight tasks are done")
    notebook.post(f"/statements/{number}/cancel")
    assert notebook.ended(number)["state"] == "cancelled"
    assert notebook.text("len(sc.statusTracker().getActiveJobsIds())") == "0"
    mark.touch()
    # The connection to the JVM is in step still.
    assert [notebook.text(f"spark.range({count}).count()") for count in (3, 5, 7)] == ["3", "5", "7"]


def test_an_interrupt_stops_what_runs_and_what_waits(notebook: Notebook) -> None:
    numbers = [notebook.begin("import time; time.sleep(600)") for _ in range(3)]
    assert notebook.post("/interrupt") == {"msg": "interrupted"}
    assert {notebook.ended(number)["state"] for number in numbers} == {"cancelled"}
    notebook.is_idle()


def test_completion(notebook: Notebook) -> None:
    notebook.text("furrow = 1")
    body = {"code": "furr", "cursor": 4, "kind": "pyspark"}
    assert notebook.post("/completion", body) == {"candidates": ["furrow"]}


def test_files_by_url(served: Served, notebook: Notebook, tmp_path: Path) -> None:
    module = tmp_path / "hedgerow.py"
    module.write_text("HEIGHT = 3\n")
    url = served.put(module, "modules/hedgerow.py")
    notebook.post("/add-pyfile", {"uri": url})
    assert notebook.text("import hedgerow; hedgerow.HEIGHT") == "3"
    notebook.post("/add-file", {"uri": url})
    assert notebook.text("from pyspark import SparkFiles; open(SparkFiles.get('hedgerow.py')).read()") == (
        "'HEIGHT = 3\\n'"
    )


def test_files_that_are_sent(served: Served, notebook: Notebook) -> None:
    def send(what: str, part: str, name: str, content: bytes) -> int:
        form = {part: (name, content)}
        path = f"{notebook.path}/upload-{what}"
        return served.public.post(path, files=form, headers={"X-Requested-By": "tests"}).status_code

    assert send("pyfile", "file", "ditch.py", b"DEPTH = 2\n") == 200
    assert notebook.text("import ditch; ditch.DEPTH") == "2"
    assert send("file", "file", "../../notes.txt", b"wet") == 200
    assert notebook.text("open(SparkFiles.get('notes.txt')).read()") == "'wet'"
    assert send("jar", "file", "app.jar", b"") == 400


def test_a_cell_goes_on_when_the_service_is_killed(
    served: Served, notebook: Notebook, tmp_path: Path
) -> None:
    mark, runs = tmp_path / "mark", tmp_path / "runs"
    code = (
        "import pathlib, time\n"
        f"with open({str(runs)!r}, 'a') as runs: runs.write('run\\n')\n"
        f"while not pathlib.Path({str(mark)!r}).exists(): time.sleep(0.05)\n"
        "print('through')"
    )
    number = notebook.begin(code)
    following = notebook.begin("seeds.count()")
    eventually(runs.exists, "the cell runs")
    served.kill()
    mark.touch()
    served.start()
    assert notebook.ended(number)["output"]["data"]["text/plain"] == "through"
    assert notebook.ended(following)["output"]["data"]["text/plain"] == "4"
    assert runs.read_text() == "run\n"


def test_acknowledged_statements_run_once_whenever_the_service_is_killed(
    served: Served, notebook: Notebook
) -> None:
    notebook.text("seen = []")
    acknowledged: list[int] = []
    stop = threading.Event()

    def submit() -> None:
        while not stop.is_set():
            try:
                acknowledged.append(notebook.begin(f"seen.append({len(acknowledged)})"))
            except Exception:  # noqa: BLE001 - the service is away
                time.sleep(0.02)

    thread = threading.Thread(target=submit)
    thread.start()
    for _ in range(3):
        time.sleep(0.3)
        served.kill()
        served.start()
    time.sleep(0.2)
    stop.set()
    thread.join()
    assert len(acknowledged) > 10
    for number in acknowledged:
        assert notebook.ended(number)["output"]["status"] == "ok"
    total = notebook.get("/statements?size=0")["total_statements"]
    codes = [each["code"] for each in notebook.get(f"/statements?size={total}")["statements"]]
    appended = [code.removeprefix("seen.append(").removesuffix(")") for code in codes if "append(" in code]
    assert notebook.text("','.join(map(str, seen))").strip("'") == ",".join(appended)


def test_an_interpreter_that_dies_leaves_a_session_that_says_so(served: Served, notebook: Notebook) -> None:
    died = notebook.run("import os; os._exit(3)")
    assert (died["status"], died["evalue"]) == ("error", "Interpreter died:\nexit code 3")
    assert notebook.get()["state"] == "error"
    assert notebook.run("1")["evalue"] == "Interpreter died:\nexit code 3"


def test_an_idle_session_is_stopped_and_its_log_says_why(served: Served, notebook: Notebook) -> None:
    """Be it one whose interpreter has died; statements can be read still."""
    key = notebook.run_key
    served.stop()
    served.environment["HEADLAND_JOBS_SESSION_TIMEOUT"] = "1"
    served.start()
    eventually(lambda: notebook.get("/state")["state"] == "dead", "it is stopped")
    assert processes_of(key) == {}
    assert "\t diagnostics: The session has been idle for 1 seconds." in notebook.get("/log?size=-1")["log"]
    assert notebook.get("/statements/0")["output"]["data"] == {"text/plain": "4"}


def test_a_session_at_work_is_not_idle_and_ends_with_its_host(served: Served) -> None:
    """With the idle timeout of the test before."""
    notebook = Notebook(served).is_idle()
    number = notebook.begin("import time; time.sleep(600)")
    time.sleep(3)
    assert notebook.get("/state")["state"] == "busy"
    folders = (served.home / "sessions").iterdir()
    (host,) = [
        pid
        for folder in folders
        for pid, command in processes_of(folder.name).items()
        if "sessions.host" in command
    ]
    os.kill(host, signal.SIGKILL)
    eventually(lambda: notebook.get("/state")["state"] == "dead", "it is dead")
    ended = notebook.get(f"/statements/{number}")
    assert (ended["state"], ended["output"]["ename"]) == ("available", "SessionEnded")


def test_a_driver_that_runs_out_of_memory_says_so(served: Served) -> None:
    notebook = Notebook(served, kind="spark").is_idle()
    notebook.begin("sc.parallelize(Seq(0), 1).map(n => new Array[Long](1 << 30).length).count()")
    eventually(lambda: notebook.get("/state")["state"] == "dead", "it is dead")
    assert (
        "\t diagnostics: The session's JVM has ended with exit code 52. "
        "The driver ran out of memory (Java heap space); ask for more with driverMemory."
    ) in notebook.get("/log?size=-1")["log"]
    assert served.public.delete(notebook.path).status_code == 200


def test_a_driver_that_cannot_start_says_why(served: Served) -> None:
    broken = Notebook(served, conf={"spark.scheduler.mode": "nonsense"})
    eventually(lambda: broken.get("/state")["state"] == "dead", "it is dead")
    log = "\n".join(broken.get("/log?size=-1")["log"])
    assert "The session's application did not start" in log
    assert "nonsense" in log
    assert served.public.delete(broken.path).status_code == 200
