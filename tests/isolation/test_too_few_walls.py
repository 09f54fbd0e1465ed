"""On a machine that gives no namespaces: whose jobs run there."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.jobs import register
from tests.serving import Served, eventually, running

pytestmark = pytest.mark.spark

#: A view of this machine in which nobody gets further namespaces.
WITHOUT = ("unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c")
NO_MORE = "echo 0 > /proc/sys/user/max_user_namespaces && "

HEADERS = {"X-Requested-By": "tests"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if shutil.which("unshare") is None:
        pytest.skip("util-linux's unshare is not installed")
    tried = subprocess.run([*WITHOUT, f"{NO_MORE}true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"this machine gives no such view: {tried.stderr}")
    served = Served(tmp_path_factory.mktemp("few") / "home", jobs_isolation="sandbox")
    served.before = (*WITHOUT, f'{NO_MORE}exec "$@"', "sh")
    with running(served):
        yield served


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, served: Served) -> str:
    file = tmp_path_factory.mktemp("program") / "says.py"
    file.write_text("print('sown')\n")
    return served.put(file, "says.py")


def test_it_is_said(served: Served) -> None:
    said = served.public.get("/health/ready").json()["isolation"]
    assert said.startswith("sandbox: too few walls stand")
    (warned,) = [line for line in served.log.read_text().splitlines() if '"isolation.weak"' in line]
    assert "this machine gives no namespaces" in warned


def test_jobs_of_administrators_run(served: Served, program: str) -> None:
    batch = served.submit(file=program).json()["id"]
    assert served.wait(batch) == "success", served.lines(batch)
    assert "sown" in served.lines(batch)


@pytest.mark.long
def test_the_demo_works() -> None:
    demo = str(Path(__file__).parents[2] / "examples" / "demo.py")
    command = [*WITHOUT, f'{NO_MORE}exec "$@"', "sh", sys.executable, demo]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "app create demo --administrator" in done.stdout
    assert "All of it worked" in done.stdout


def test_jobs_of_others_do_not(served: Served, program: str) -> None:
    with register(served, "Guest").client as guest:
        batch = guest.post("/livy/batches", json={"file": program}, headers=HEADERS).json()["id"]
        session = guest.post("/livy/sessions", json={"kind": "pyspark"}, headers=HEADERS).json()["id"]
        assert served.wait(batch) == "dead"
        said = "\n".join(served.lines(batch))
        assert "gives no namespaces" in said
        assert "Only jobs of administrators run here" in said
        path = f"/livy/sessions/{session}"
        eventually(lambda: guest.get(f"{path}/state").json()["state"] == "dead", "the session is dead, too")
        said = guest.get(f"{path}/log?size=-1").json()["log"]
        assert "gives no namespaces" in "\n".join(said)
