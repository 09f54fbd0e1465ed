"""The libraries' managed identity inside a job: without a line of configuration they act for who submitted it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clients.identity.running import HERE, MODULES, PYTHON
from tests.clients.peers import is_missing
from tests.instances import READER, provision
from tests.jobs import Application, called, claims_in, register, submit
from tests.serving import APPLICATIONS, Served

pytestmark = pytest.mark.spark

JARS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headland-tests/azure-identity-java"
PARTIES = "/farm/meadow/parties?api-version=2022-11-01-preview"
ADMINISTRATION = "/identity/applications"


@pytest.fixture(scope="module")
def meadow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Application]]:
    """A Headland with an instance, and an application that may read its data."""
    # What stands for the program of somebody, with packages of its own.
    served = Served(tmp_path_factory.mktemp("jobs") / "home", jobs_readable_folders=f"{HERE},{JARS}")
    try:
        served.start()
        drone = register(served, "Drone")
        provision(served).assign(drone.object_id, READER)
        served.public.params = httpx.QueryParams()
        served.authorize()
        yield served, drone
        drone.client.close()
    finally:
        served.close()


def acts_for_the_drone(meadow: tuple[Served, Application], **body: Any) -> None:
    served, drone = meadow
    batch = submit(drone.client, **body)
    assert served.wait(batch) == "success", served.lines(batch)
    lines = served.lines(batch)
    assert called(lines) == {PARTIES: 200, ADMINISTRATION: 401}, lines
    said = claims_in(lines)
    assert (said["appid"], said["act"]) == (drone.client_id, {"sub": f"batch/{batch}"})


def run_inside(meadow: tuple[Served, Application], *command: str) -> None:
    """Run a program in the job of a Python batch."""
    file = meadow[0].put(APPLICATIONS / "run.py", "programs/run.py")
    acts_for_the_drone(meadow, file=file, args=[*command, PARTIES, ADMINISTRATION])


def test_azure_identity_for_python(meadow):
    if not PYTHON.exists():
        is_missing("azure-identity is not installed: run `make clients`")
    run_inside(meadow, str(PYTHON), str(HERE / "drivers/job_calls.py"))


def test_azure_identity_for_javascript(meadow):
    node = shutil.which("node")
    if node is None or not MODULES.exists():
        is_missing("@azure/identity is not installed: run `make clients`")
    run_inside(meadow, node, str(HERE / "javascript/job_calls.mjs"))


def test_azure_identity_for_java(meadow, tmp_path):
    """In the driver's own JVM, whose trust store has the deployment's CA."""
    javac, jar = shutil.which("javac"), shutil.which("jar")
    if javac is None or jar is None or not JARS.exists():
        is_missing("azure-identity for Java is not installed, or there is no JDK: run `make clients`")
    made, archive = tmp_path / "classes", tmp_path / "calls.jar"
    source = HERE / "java/Calls.java"
    subprocess.run([javac, "--release", "17", "-cp", f"{JARS}/*", "-d", made, source], check=True)
    subprocess.run([jar, "--create", "--file", archive, "-C", made, "."], check=True)
    served, _ = meadow
    acts_for_the_drone(
        meadow,
        file=served.put(archive, "jars/calls.jar"),
        className="Calls",
        jars=[served.put(each, f"jars/{each.name}") for each in sorted(JARS.glob("*.jar"))],
        args=[PARTIES, ADMINISTRATION],
    )
