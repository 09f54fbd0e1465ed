"""Jobs that delete, and attachments, by azure-agrifood-farming; what was seen is printed as JSON."""

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options, refused


def client(role: str) -> FarmBeatsClient:
    return FarmBeatsClient(endpoint=ENDPOINT, credential=ClientSecretCredential(**credential_options(role)))


mark = sys.argv[1]
admin, contributor, reader = map(client, ("admin", "contributor", "reader"))
party = f"{mark}-party"
shape = {"type": "Polygon", "coordinates": [[[0.0, 0.0], [0.01, 0.0], [0.01, 0.01], [0.0, 0.0]]]}

#: Documents by group, with what the client calls id and body.
DOCUMENTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("farms", "farm", "farm-1", {"name": "F"}),
    ("fields", "field", "field-1", {"farmId": "farm-1"}),
    ("seasonal_fields", "seasonal_field", "sf-1", {"fieldId": "field-1"}),
    (
        "boundaries",
        "boundary",
        "boundary-1",
        {"parentType": "Field", "parentId": "field-1", "geometry": shape},
    ),
    ("management_zones", "management_zone", "mz-1", {"fieldId": "field-1"}),
    ("zones", "zone", "zone-1", {"managementZoneId": "mz-1"}),
    ("prescription_maps", "prescription_map", "pm-1", {"fieldId": "field-1"}),
    ("prescriptions", "prescription", "prescription-1", {"prescriptionMapId": "pm-1"}),
    ("plant_tissue_analyses", "plant_tissue_analysis", "pta-1", {"fieldId": "field-1"}),
    ("application_data", "application_data", "ad-1", {"source": "drone"}),
    ("harvest_data", "harvest_data", "hd-1", {"source": "drone"}),
    ("planting_data", "planting_data", "pd-1", {"source": "drone"}),
    ("tillage_data", "tillage_data", "td-1", {"source": "drone"}),
]


def make() -> None:
    contributor.parties.create_or_update(party_id=party, party={})
    for group, noun, name, body in DOCUMENTS:
        getattr(contributor, group).create_or_update(party_id=party, **{f"{noun}_id": name, noun: body})


def left() -> list[str]:
    """Groups that still have their document."""
    return [
        group for group, _, _, _ in DOCUMENTS if list(getattr(reader, group).list_by_party_id(party_id=party))
    ]


def cascade(group: str, **names: str) -> dict[str, Any]:
    """The job as the poller returns it, which is as one may ask for it."""
    operations, job = getattr(admin, group), f"{mark}-{group.replace('_', '-')}"
    poller = operations.begin_create_cascade_delete_job(job, **names)
    ended = poller.result()
    assert poller.status() == "Succeeded"
    assert getattr(reader, group).get_cascade_delete_job_details(job_id=job) == ended
    return dict(ended)


seen: dict[str, Any] = {"jobs": {}, "left": {}}
make()
for group, noun, name, _ in reversed(DOCUMENTS):
    seen["jobs"][group] = cascade(group, party_id=party, **{f"{noun}_id": name})
    seen["left"][group] = left()

make()
insight = {"party_id": party, "model_id": "model-1", "resource_type": "Farm", "resource_id": "farm-1"}
contributor.insights.create_or_update(**insight, insight_id="insight-1", insight_data={})

data = bytes(range(256)) * 40_000
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "yield map.tif"
    file.write_bytes(data)
    described = {"resourceId": "farm-1", "resourceType": "Farm", "description": "D"}
    with file.open("rb") as opened:
        created = contributor.attachments.create_or_update(party, "att-1", described, opened)
bare = {"resourceId": party, "resourceType": "Party"}
unnamed = contributor.attachments.create_or_update(party, "att-2", bare, io.BytesIO(b"second"))
again = contributor.attachments.create_or_update(party, "att-2", {"name": "N"}, io.BytesIO(b"third"))
listed = list(reader.attachments.list_by_party_id(party, resource_types=["Farm"]))
seen["attachments"] = {
    "created": created,
    "unnamed": unnamed["originalFileName"],
    "again": [again["name"], again["resourceId"], again["eTag"] != unnamed["eTag"]],
    "same": reader.attachments.get(party, "att-1") == created,
    "listed": [each["originalFileName"] for each in listed],
    "down": b"".join(reader.attachments.download(party, "att-1")) == data,
    "replaced": b"".join(reader.attachments.download(party, "att-2")).decode(),
    "in use": refused(lambda: admin.farms.delete(party, "farm-1")),
    "contributor deletes": refused(lambda: contributor.attachments.delete(party, "att-2")),
    "without a resource": refused(
        lambda: contributor.attachments.create_or_update(
            party, "att-3", {"resourceId": "none", "resourceType": "Farm"}, io.BytesIO(b"x")
        )
    ),
}
admin.attachments.delete(party, "att-2")
seen["attachments"]["deleted"] = refused(lambda: reader.attachments.download(party, "att-2"))

about = tuple(insight.values())
contributor.insight_attachments.create_or_update(
    *about, "ia-1", {"insightId": "insight-1"}, io.BytesIO(b"seen")
)
seen["insight attachments"] = {
    "listed": [
        each["insightId"]
        for each in reader.insight_attachments.list_by_party_id_model_id_and_resource(
            *about, insight_ids=["insight-1"]
        )
    ],
    "got": reader.insight_attachments.get(*about, "ia-1")["modelId"],
    "down": b"".join(reader.insight_attachments.download(*about, "ia-1")).decode(),
}
contributor.insight_attachments.create_or_update(*about, "ia-2", {"insightId": "insight-1"}, io.BytesIO(b""))
admin.insight_attachments.delete(*about, "ia-2")
seen["jobs"]["insights"] = cascade("insights", **insight, insight_id="insight-1")
seen["insight attachments"]["gone"] = refused(lambda: reader.insight_attachments.get(*about, "ia-1"))

seen["refusals"] = {
    "contributor": refused(
        lambda: contributor.parties.begin_create_cascade_delete_job(f"{mark}-none", party_id=party)
    ),
    "absent": refused(
        lambda: admin.parties.begin_create_cascade_delete_job(f"{mark}-none", party_id=f"{mark}-none")
    ),
    "used": refused(
        lambda: admin.farms.begin_create_cascade_delete_job(
            f"{mark}-fields", party_id=party, farm_id="farm-1"
        )
    ),
    "no job": refused(lambda: reader.farms.get_cascade_delete_job_details(job_id=f"{mark}-none")),
}
seen["jobs"]["parties"] = cascade("parties", party_id=party)
seen["left"]["parties"] = left()
seen["gone"] = refused(lambda: reader.parties.get(party_id=party))
print(json.dumps(seen))
