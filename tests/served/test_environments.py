"""Named Python environments, built by the real installer from an index in a folder, and used by real Spark."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.served.notebooks import HEADERS, Notebook
from tests.serving import HEADLAND, Served, eventually, running
from tests.wheels import built, index_of, make, make_wheel

pytestmark = pytest.mark.spark

CONF = "spark.headland.environment"

#: Says which packages driver and executors have, and which Python runs them.
PROGRAM = """
import sys
import soil
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

def look(_):
    import sys, soil, water
    return soil.PH, water.DEPTH, sys.executable

there = spark.sparkContext.parallelize([0], 1).map(look).collect()[0]
print("driver", soil.PH, sys.executable)
print("executor", *there)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("environments")
    index = folder / "index"
    make_wheel(index, "soil", "1.0", "PH = 6.5\n", ("water>=2",))
    make_wheel(index, "soil", "0.9", "PH = 5.0\n")
    make_wheel(index, "water", "2.1", "DEPTH = 30\n")
    served = Served(folder / "home")
    served.environment |= index_of(index)
    with running(served):
        yield served


@pytest.fixture(scope="module")
def soil(served: Served) -> dict[str, Any]:
    made = make(served, "soil", "soil>=1  # and what it needs\n")
    assert made["state"] == "ready", made
    return made


def test_an_environment_is_resolved_installed_and_described(served: Served, soil: dict[str, Any]) -> None:
    assert soil["packages"] == [{"name": "soil", "version": "1.0"}, {"name": "water", "version": "2.1"}]
    assert "soil==1.0" in soil["output"]
    assert "--hash=sha256:" in soil["output"]
    assert soil["size"] > 0
    content = served.home / "environments" / soil["digest"]
    code = "import soil, water; print(soil.PH, water.DEPTH)"
    assert subprocess.check_output([content / "bin" / "python", "-c", code], text=True) == "6.5 30\n"


def test_the_same_packages_are_installed_once(served: Served, soil: dict[str, Any]) -> None:
    again = make(served, "soil-and-water", "water==2.1\nsoil==1.0\n")
    assert again["digest"] == soil["digest"]
    other = make(served, "old", "soil<1")
    assert other["digest"] != soil["digest"]
    assert other["packages"] == [{"name": "soil", "version": "0.9"}]


def test_a_batch_has_it_in_driver_and_executors(served: Served, soil: dict[str, Any], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    url = served.put(program, "programs/environment.py")
    answer = served.submit(file=url, conf={CONF: "soil"})
    assert answer.status_code == 201, answer.text
    batch = answer.json()["id"]
    state = served.wait(batch)
    lines = served.lines(batch)
    assert state == "success", lines
    python = f"{served.home}/environments/{soil['digest']}/bin/python"
    assert f"driver 6.5 {python}" in lines
    assert f"executor 6.5 30 {python}" in lines


def test_a_session_has_it(served: Served, soil: dict[str, Any]) -> None:
    notebook = Notebook(served, conf={CONF: "soil"}).is_idle()
    assert notebook.text("import soil, sys; print(soil.PH, sys.executable)").endswith(
        f"/environments/{soil['digest']}/bin/python"
    )
    code = "sc.parallelize([1], 1).map(lambda v: __import__('water').DEPTH + v).collect()"
    assert notebook.text(code) == "[31]"
    notebook.client.delete(notebook.path)


def test_the_default_has_what_pysparks_documentation_assumes(served: Served) -> None:
    notebook = Notebook(served).is_idle()
    code = (
        "import pandas as pd\n"
        "from pyspark.sql.functions import pandas_udf\n"
        "@pandas_udf('double')\n"
        "def twice(v: pd.Series) -> pd.Series:\n"
        "    return v * 2.0\n"
        "spark.range(3).select(twice('id').alias('t')).toPandas()['t'].tolist()"
    )
    assert notebook.text(code) == "[0.0, 2.0, 4.0]"
    assert notebook.text("spark.createDataFrame(pd.DataFrame({'a': [1, 2]})).count()") == "2"
    notebook.client.delete(notebook.path)
    (own, *_) = served.public.get("/livy/environments").json()["environments"]
    assert (own["name"], own["state"], own["default"]) == ("default", "ready", True)


def test_what_cannot_be_built_says_why_and_is_tried_again(served: Served) -> None:
    failed = make(served, "clouds", "no-such-package>=1")
    assert failed["state"] == "failed"
    assert "no-such-package" in failed["problem"]
    refused = served.submit(file="wasbs:///programs/environment.py", conf={CONF: "clouds"})
    assert refused.status_code == 400
    assert "could not be built" in refused.json()["msg"]
    index = Path(served.environment["UV_FIND_LINKS"])
    make_wheel(index, "no_such_package", "1.0", "")
    assert make(served, "clouds", "no-such-package>=1")["state"] == "ready"


def test_a_build_that_a_kill_cuts_short_is_begun_again(served: Served) -> None:
    body = {"name": "cut", "requirements": "water"}
    assert served.public.post("/livy/environments", json=body, headers=HEADERS).status_code == 201
    served.kill()
    served.start()
    assert built(served, "cut")["state"] == "ready"
    left = [path.name for path in (served.home / "environments").iterdir() if path.name.startswith(".")]
    eventually(
        lambda: not any((served.home / "environments" / name).exists() for name in left),
        "leftovers are swept",
    )


def test_the_commands(served: Served, soil: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("water\n")

    def run(*arguments: str, status: int = 0) -> str:
        ended = subprocess.run(
            [HEADLAND, "environment", *arguments],
            env=served.command_environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == status, ended.stderr
        return ended.stdout + ended.stderr

    assert run("create", "wet", "-r", str(file)).startswith("Environment wet: ready, 1 packages, ")
    listed = run("list")
    assert "default *" in listed
    assert "wet" in listed
    assert "water 2.1" in run("show", "wet")
    assert "water==2.1" in run("log", "wet")
    assert run("remove", "wet") == "Environment wet: removed.\n"
    assert "environment 'wet'" in run("show", "wet", status=4)
    file.write_text("nothing-of-the-kind\n")
    assert "could not be built" in run("create", "none", "-r", str(file), status=1)
    assert soil["state"] == "ready"
