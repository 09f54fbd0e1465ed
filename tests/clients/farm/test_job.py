"""The public SDK inside a real Spark job, with nothing configured: the example does what it says."""

from pathlib import Path

import httpx
import pytest
from tests.clients.farm.conftest import HERE
from tests.clients.peers import is_missing
from tests.instances import CONTRIBUTOR, provision
from tests.jobs import register, submit

pytestmark = pytest.mark.spark

PYTHON = HERE / ".environments/python/bin/python"
EXAMPLE = Path(__file__).parents[3] / "examples/farm-job/parties.py"
VERSION = {"api-version": "2022-11-01-preview"}


def test_the_sdk_acts_for_who_submitted_the_job(make_served):
    if not PYTHON.exists():
        is_missing("azure-agrifood-farming is not installed: run `make clients`")
    served = make_served(jobs_python=str(PYTHON))
    served.start()
    meadow = provision(served)
    drone = register(served, "Drone")
    meadow.assign(drone.object_id, CONTRIBUTOR)
    with served.client(served.token("https://farmbeats.azure.net/.default")) as farm:
        farm.params = httpx.QueryParams(VERSION)
        farm.headers["content-type"] = "application/merge-patch+json"
        for name in ("Ada", "Bo"):
            made = farm.patch(f"/farm/meadow/parties/{name.lower()}", json={"name": name})
            assert made.status_code == 201, made.text
        served.public.params = httpx.QueryParams()
        served.authorize()
        batch = submit(drone.client, file=served.put(EXAMPLE, "programs/parties.py"))
        assert served.wait(batch) == "success", served.lines(batch)
        assert "parties ['Ada', 'Bo']" in served.lines(batch)
        summary = farm.get("/farm/meadow/parties/summary").json()
    assert summary["name"] == "Counted 2 parties"
    assert summary["createdBy"] == drone.object_id
    drone.client.close()
