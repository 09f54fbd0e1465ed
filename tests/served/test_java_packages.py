"""Java packages that a job names (`spark.jars.packages`): brought behind a company's own authority, and kept."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.company import Company, company_server
from tests.serving import CLUSTER_SCOPE, Served

pytestmark = pytest.mark.spark

PACKAGE = "org.example:probe:1.0"

#: Looks for a class of the package where Spark looks for classes.
PROGRAM = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
thread = spark.sparkContext._jvm.java.lang.Thread.currentThread()
print("found", thread.getContextClassLoader().loadClass("headland.tests.Probe").getName())
"""

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>probe</artifactId><version>1.0</version></project>
"""


@pytest.fixture(scope="module")
def repository(probe: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """A Maven repository."""
    folder = tmp_path_factory.mktemp("repository")
    package = folder / "org/example/probe/1.0"
    package.mkdir(parents=True)
    (package / "probe-1.0.pom").write_text(POM)
    (package / "probe-1.0.jar").write_bytes(probe.read_bytes())
    with company_server(folder) as company:
        yield company


@pytest.fixture(scope="module")
def served(repository: Company, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("packages")
    served = Served(folder / "home")
    trusted = folder / "system.pem"
    found = ssl.get_default_verify_paths().cafile
    system = Path(found).read_text() if found else ""
    trusted.write_text(system + repository.authority.read_text())
    served.environment |= {"SSL_CERT_FILE": str(trusted), "DEFAULT_ARTIFACT_REPOSITORY": f"{repository.url}/"}
    try:
        served.start()
        yield served
    finally:
        served.close()


def submit(served: Served, url: str, client: httpx.Client | None = None) -> int:
    body = {"file": url, "conf": {"spark.jars.packages": PACKAGE}}
    answer = (client or served.public).post("/livy/batches", json=body, headers={"X-Requested-By": "tests"})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_packages_are_brought_once_an_owner(served: Served, repository: Company, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    url = served.put(program, "programs/packages.py")

    def brought() -> int:
        return repository.asked.count("/org/example/probe/1.0/probe-1.0.jar")

    def works(batch: int) -> None:
        assert served.wait(batch) == "success", "\n".join(served.lines(batch)[-40:])
        assert "found headland.tests.Probe" in served.lines(batch)

    first = submit(served, url)
    works(first)
    assert brought() == 1
    again = [submit(served, url) for _ in range(2)]
    for batch in again:
        works(batch)
    assert brought() == 1
    # Another owner's jobs have a folder of their own.
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    made = served.public.post("/identity/applications", json={"name": "Eva"}, headers=own).json()
    path = f"/identity/applications/{made['clientId']}/secrets"
    secret = served.public.post(path, json={}, headers=own).json()["secret"]
    with served.client(served.token(CLUSTER_SCOPE, made["clientId"], secret)) as other:
        works(submit(served, url, other))
    assert brought() == 2
    assert len(list((served.home / "cache" / "packages").iterdir())) == 2
