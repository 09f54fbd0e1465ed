"""Containers of YARN get the file system, and what it needs."""

import pytest
from tests.serving import APPLICATIONS, Served

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ELSEWHERE = {"spark.hadoop.fs.headland.machine": "another"}

#: What Spark demands before it spreads tokens that are not Kerberos'. A driver on the cluster has no other.
SPREAD = {
    **ELSEWHERE,
    "spark.security.directCredentialProviders.enabled": "true",
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
}


@pytest.mark.parametrize(
    ("mode", "conf"),
    [
        pytest.param("client", ELSEWHERE, id="client", marks=pytest.mark.long),
        pytest.param("cluster", {}, id="cluster", marks=pytest.mark.long),
        pytest.param("cluster", SPREAD, id="cluster elsewhere"),
    ],
)
def test_containers_read_and_write(on_yarn: Served, mode: str, conf: dict[str, str]) -> None:
    file = on_yarn.put(APPLICATIONS / "storage.py", "programs/storage.py")
    target = f"wasbs:///rows/{mode}{len(conf)}"
    conf = {**conf, "spark.submit.deployMode": mode}
    batch = on_yarn.submit(file=file, args=[target], conf=conf).json()["id"]
    assert on_yarn.wait(batch) == "success", "\n".join(
        line for line in on_yarn.lines(batch) if " INFO " not in line
    )
    assert "rows 1000" in on_yarn.lines(batch)
