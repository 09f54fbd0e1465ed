"""`sparkUiUrl` on a local master: an address that whoever may view the job can open, while it runs."""

from pathlib import Path

import pytest
from tests.served.notebooks import HEADERS
from tests.serving import Served, eventually

pytestmark = pytest.mark.spark

PROBE = "headland.tests.Probe"


def opens(served: Served, url: str) -> bool:
    """Whether Spark's pages are there, once they have been prepared."""
    answer = served.public.get(url, follow_redirects=True)
    assert answer.status_code in {200, 202}, answer.text
    return answer.status_code == 200 and "Spark" in answer.text


@pytest.mark.parametrize("ui", ["true", "false"])
def test_of_a_batch(served: Served, probe: Path, tmp_path: Path, ui: str) -> None:
    mark = tmp_path / "mark"
    body = {"file": served.put(probe, "jars/probe.jar"), "className": PROBE}
    batch = served.submit(**body, args=["hold", str(mark)], conf={"spark.ui.enabled": ui}).json()["id"]
    path = f"/livy/batches/{batch}"
    info = eventually(lambda: i if (i := told(served, path))["sparkUiUrl"] else None, "an address")
    assert info["sparkUiUrl"] == f"{served.url}{path}/spark"
    (listed,) = [one for one in served.public.get("/livy/batches").json()["sessions"] if one["id"] == batch]
    assert listed["appInfo"] == info
    eventually(lambda: opens(served, info["sparkUiUrl"]), "Spark's pages are shown", pause=0.5)
    assert served.public.get(info["sparkUiUrl"], headers={"Authorization": ""}).status_code == 401
    mark.touch()
    assert served.wait(batch) == "success"
    assert told(served, path)["sparkUiUrl"] is None
    served.public.delete(path)


def test_of_a_session(served: Served) -> None:
    made = served.public.post("/livy/sessions", json={"kind": "pyspark"}, headers=HEADERS).json()
    path = f"/livy/sessions/{made['id']}"
    eventually(lambda: served.public.get(f"{path}/state").json()["state"] == "idle", "it is up")
    assert told(served, path)["sparkUiUrl"] == f"{served.url}{path}/spark"
    eventually(lambda: opens(served, f"{path}/spark"), "Spark's pages are shown", pause=0.5)
    served.public.delete(path)


def told(served: Served, path: str) -> dict[str, str | None]:
    info: dict[str, str | None] = served.public.get(path).json()["appInfo"]
    assert list(info) == ["driverLogUrl", "sparkUiUrl", "executorLogUrls"]
    return info
