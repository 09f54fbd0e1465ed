"""A session whose executors are on a real standalone cluster: one, which is used up test by test."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.clusters.standalone.cluster import StandaloneCluster
from tests.served.notebooks import Notebook
from tests.served.test_processes import java_of
from tests.serving import Served, eventually

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def workers_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another path of a Python than the driver's, as nodes of a cluster may have."""
    path = tmp_path_factory.mktemp("worker") / "python3"
    path.symlink_to(Path(sys.executable).resolve())
    return path


@pytest.fixture(scope="module")
def notebook(attached: Served, workers_python: Path) -> Notebook:
    conf = {"spark.ui.enabled": "true", "spark.pyspark.python": str(workers_python)}
    return Notebook(attached, kind="shared", conf=conf).is_idle()


def test_its_application_is_the_masters(notebook: Notebook, cluster: StandaloneCluster) -> None:
    # Its host says that it is up before its row does.
    ui = eventually(lambda: notebook.get()["appInfo"]["sparkUiUrl"], "its row says so")
    assert ui.startswith("http://127.0.0.1:")
    assert notebook.get()["appId"] in {app["id"] for app in cluster.state()["activeapps"]}


def test_code_of_every_kind_runs_on_the_worker(
    notebook: Notebook, cluster: StandaloneCluster, workers_python: Path
) -> None:
    where = (
        "import os, sys\n"
        "def where(_):\n"
        "    return f'{os.getcwd()} {sys.executable}'\n"
        "sc.parallelize([0], 1).map(where).collect()[0]"
    )
    found = notebook.text(where, kind="pyspark")
    assert str(cluster.folder / "work") in found
    assert str(workers_python) in found
    scala = "case class Furrow(n: Long)\nspark.range(4).map(n => Furrow(n)).filter(_.n > 1).count()"
    assert notebook.text(scala, kind="spark").endswith(" = 2\n")
    notebook.text("spark.range(3).createOrReplaceTempView('three')", kind="pyspark")
    shown = notebook.run("SELECT sum(id) FROM three", kind="sql")["data"]["application/json"]
    assert shown["data"] == [[3]]


def test_files_reach_the_worker(attached: Served, notebook: Notebook, tmp_path: Path) -> None:
    module = tmp_path / "hedgerow.py"
    module.write_text("HEIGHT = 3\n")
    notebook.post("/add-pyfile", {"uri": attached.put(module, "modules/hedgerow.py")})
    code = (
        "def height(_):\n"
        "    import hedgerow\n"
        "    return hedgerow.HEIGHT\n"
        "sc.parallelize([0], 1).map(height).collect()"
    )
    assert notebook.text(code, kind="pyspark") == "[3]"


def test_a_cell_goes_on_when_the_service_is_killed(
    attached: Served, notebook: Notebook, tmp_path: Path
) -> None:
    mark, runs = tmp_path / "mark", tmp_path / "runs"
    code = (
        "import pathlib, time\n"
        "def wait(n):\n"
        f"    with open({str(runs)!r}, 'a') as file: file.write('run\\n')\n"
        f"    while not pathlib.Path({str(mark)!r}).exists(): time.sleep(0.05)\n"
        "    return n\n"
        "sc.parallelize([7], 1).map(wait).collect()"
    )
    number = notebook.begin(code, kind="pyspark")
    eventually(runs.exists, "an executor is at it")
    attached.kill()
    mark.touch()
    attached.start()
    assert notebook.ended(number)["output"]["data"]["text/plain"] == "[7]"
    assert runs.read_text() == "run\n"


def test_a_driver_that_is_killed_leaves_nothing_on_the_cluster(
    notebook: Notebook, cluster: StandaloneCluster
) -> None:
    app_id = notebook.get()["appId"]
    driver = java_of(notebook.run_key)
    os.kill(driver, signal.SIGKILL)
    eventually(lambda: notebook.get("/state")["state"] == "dead", "it is dead")
    told = "\t diagnostics: The session's JVM was stopped from outside by signal SIGKILL."
    assert told in notebook.get("/log?size=-1")["log"]
    eventually(lambda: app_id in {app["id"] for app in cluster.state()["completedapps"]}, "the master knows")
    eventually(lambda: cluster.state()["coresused"] == 0, "its executor has ended")
