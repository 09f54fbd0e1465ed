"""Jobs that delete with all that is linked, and attachments, by the public clients."""

from collections.abc import Callable
from typing import Any

Driver = Callable[..., Any]

#: Groups with cascades, as the Python client names them, from the last to the first to be made; what of them
#: stands after each one's job.
GROUPS = (
    "farms",
    "fields",
    "seasonal_fields",
    "boundaries",
    "management_zones",
    "zones",
    "prescription_maps",
    "prescriptions",
    "plant_tissue_analyses",
    "application_data",
    "harvest_data",
    "planting_data",
    "tillage_data",
)


def test_jobs_and_attachments(driver: Driver) -> None:
    seen = driver("work.py", "pywork")
    assert seen["jobs"].keys() == {*GROUPS, "insights", "parties"}
    for group, job in seen["jobs"].items():
        assert job["id"] == f"pywork-{group.replace('_', '-')}"
        assert (job["status"], job["partyId"]) == ("Succeeded", "pywork-party")
        assert {"startTime", "endTime", "durationInSeconds", "createdDateTime", "message"} <= job.keys()
    assert seen["jobs"]["seasonal_fields"]["resourceType"] == "seasonalfield"
    for number, group in enumerate(GROUPS):
        assert seen["left"][group] == list(GROUPS[:number])
    assert seen["left"]["parties"] == []
    assert "1 Farm, 1 Field" in seen["jobs"]["parties"]["message"]
    assert seen["gone"] == ["ResourceNotFoundError", 404, "ResourceNotFound"]

    attachments = seen["attachments"]
    assert attachments.pop("created")["originalFileName"] == "yield map.tif"
    assert attachments == {
        "unnamed": "att-2",
        "again": ["N", "pywork-party", True],
        "same": True,
        "listed": ["yield map.tif"],
        "down": True,
        "replaced": "third",
        "in use": ["ResourceExistsError", 409, "ResourceInUse"],
        "contributor deletes": ["HttpResponseError", 403, "AuthorizationFailed"],
        "without a resource": ["ResourceNotFoundError", 404, "ResourceNotFound"],
        # The client does not read the body of a refused download.
        "deleted": ["ResourceNotFoundError", 404, None],
    }
    assert seen["insight attachments"] == {
        "listed": ["insight-1"],
        "got": "model-1",
        "down": "seen",
        "gone": ["ResourceNotFoundError", 404, "ResourceNotFound"],
    }
    assert seen["refusals"] == {
        "contributor": ["HttpResponseError", 403, "AuthorizationFailed"],
        "absent": ["ResourceNotFoundError", 404, "ResourceNotFound"],
        "used": ["ResourceExistsError", 409, "JobAlreadyExists"],
        "no job": ["ResourceNotFoundError", 404, "ResourceNotFound"],
    }


def test_the_asynchronous_client(driver: Driver) -> None:
    assert driver("work_async.py", "aiowork") == {
        "name": "map.tif",
        "down": True,
        "listed": ["att-1"],
        "gone": True,
        "status": "Succeeded",
        "message": "Deleted Party 'aiowork-party' and what was linked to it: 1 Attachment.",
    }


def test_in_javascript(driver: Driver) -> None:
    seen = driver("work.mjs", "jswork")
    assert seen["attachments"] == {
        "created": ["201", "N", "blob"],
        "updated": ["200", "N", "D"],
        "down": True,
        "listed": ["blob"],
        "got": "200",
        "without a resource": [True, "404", "ResourceNotFound"],
        "gone": "404",
    }
    segments = [group.replace("_", "-") for group in (*reversed(GROUPS), "parties")]
    assert list(seen["jobs"]) == segments
    assert {status for status, _, _ in seen["jobs"].values()} == {"Succeeded"}
    assert seen["jobs"]["management-zones"][1:] == ["managementzone", "mz-1"]
    assert seen["refused"] == [True, "403", "AuthorizationFailed"]
    assert seen["gone"] == "404"
