"""A session on a real YARN: its driver here, its executors there."""

from pathlib import Path

import pytest
from tests.clusters.yarn.conftest import MiniYarn, report
from tests.served.notebooks import Notebook
from tests.serving import Served, eventually

from headland.jobs.clusters.manager import tag_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_a_session_from_its_start_through_the_services_end_to_its_own(
    on_yarn: Served, mini_yarn: MiniYarn, tmp_path: Path
) -> None:
    notebook = Notebook(on_yarn).is_idle()
    app_id = eventually(lambda: notebook.get()["appId"], "its row says so")
    assert report(mini_yarn, app_id)["state"] == "RUNNING"
    mark, runs = tmp_path / "mark", tmp_path / "runs"
    code = (
        "import os, pathlib, time\n"
        "def wait(n):\n"
        f"    with open({str(runs)!r}, 'a') as file: file.write('run\\n')\n"
        f"    while not pathlib.Path({str(mark)!r}).exists(): time.sleep(0.05)\n"
        "    return os.environ['CONTAINER_ID']\n"
        "sc.parallelize([7], 1).map(wait).collect()"
    )
    number = notebook.begin(code)
    eventually(runs.exists, "an executor is at it")
    on_yarn.kill()
    mark.touch()
    on_yarn.start()
    assert "container_" in notebook.ended(number)["output"]["data"]["text/plain"]
    assert runs.read_text() == "run\n"
    # By the tag, as what a killed driver leaves is.
    mini_yarn.manager().clear_away(tag_of(notebook.run_key))
    eventually(lambda: report(mini_yarn, app_id)["state"] == "KILLED", "it is killed")
    eventually(lambda: notebook.get("/state")["state"] == "error", "it says that its application is gone")
    assert notebook.run("sc.parallelize([7], 1).count()")["status"] == "error"
    notebook.post("/stop", status=204)
    assert notebook.get()["state"] == "dead"
