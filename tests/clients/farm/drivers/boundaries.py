"""Boundaries by azure-agrifood-farming, logged in by azure-identity; what was seen is printed as JSON."""

import json
import sys

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options, refused


def client(role: str) -> FarmBeatsClient:
    return FarmBeatsClient(endpoint=ENDPOINT, credential=ClientSecretCredential(**credential_options(role)))


def square(x: float, y: float, side: float) -> dict[str, object]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


mark, west = sys.argv[1], float(sys.argv[2])
admin, contributor, reader = map(client, ("admin", "contributor", "reader"))
party = f"{mark}-outlined"
boundaries = reader.boundaries
seen = {}

contributor.parties.create_or_update(party_id=party, party={})
contributor.fields.create_or_update(party_id=party, field_id="field", field={})
recorded = [
    [73.70457172393799, 20.545385304358106],
    [73.70457172393799, 20.545385304358106],
    [73.70448589324951, 20.542411534243367],
    [73.70877742767334, 20.541688176010233],
    [73.71023654937744, 20.545083911372505],
    [73.70663166046143, 20.546992723579137],
    [73.70457172393799, 20.545385304358106],
]
outline = {"type": "Polygon", "coordinates": [recorded]}
body = {"geometry": outline, "parentType": "Field", "parentId": "field", "type": mark}
created = contributor.boundaries.create_or_update(party_id=party, boundary_id="recorded", boundary=body)
seen["created"] = created
seen["same"] = boundaries.get(party_id=party, boundary_id="recorded") == created
seen["renamed"] = (
    contributor.boundaries.create_or_update(
        party_id=party, boundary_id="recorded", boundary={"name": "North"}
    )["geometry"]
    == created["geometry"]
)

# Each step east overlaps the one before by half.
for number in range(60):
    contributor.boundaries.create_or_update(
        party_id=party,
        boundary_id=f"b{number:02}",
        boundary={"geometry": square(west + number / 100, 0, 0.02), "type": mark},
    )
listed = list(boundaries.list_by_party_id(party_id=party, parent_type="Field", parent_ids=["field"]))
seen["listed"] = [[each["id"], "geometry" in each, each["area"]] for each in listed]
seen["pages"] = [len(list(page)) for page in boundaries.list(type=mark).by_page()]
everywhere = {"intersectsWithGeometry": square(west - 1, -1, 3), "type": mark}
found = boundaries.search(everywhere)
seen["searched"] = [each["id"] for each in found] == [f"b{number:02}" for number in range(60)]
of_party = boundaries.search_by_party_id(party_id=party, search_boundary_query=everywhere)
seen["search pages"] = [len(list(page)) for page in of_party.by_page()]
point = {"type": "Point", "coordinates": [west + 0.305, 0.01]}
seen["at a point"] = [
    each["id"]
    for each in boundaries.search_by_party_id(
        party_id=party, search_boundary_query={"intersectsWithGeometry": point, "maxPageSize": 10}
    )
]
overlap = boundaries.get_overlap(
    party_id=party, boundary_id="b00", other_party_id=party, other_boundary_id="b01"
)
seen["overlap"] = [overlap["boundaryArea"], overlap["otherBoundaryArea"], overlap["intersectingArea"]]

bow = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
seen["refusals"] = {
    "crossed": refused(
        lambda: contributor.boundaries.create_or_update(
            party_id=party, boundary_id="bow", boundary={"geometry": bow}
        )
    ),
    "reader writes": refused(
        lambda: reader.boundaries.create_or_update(party_id=party, boundary_id="b00", boundary={})
    ),
    "field in use": refused(lambda: admin.fields.delete(party_id=party, field_id="field")),
    "absent": refused(
        lambda: boundaries.get_overlap(
            party_id=party, boundary_id="b00", other_party_id=party, other_boundary_id="none"
        )
    ),
}
admin.boundaries.delete(party_id=party, boundary_id="recorded")
seen["deleted"] = refused(lambda: boundaries.get(party_id=party, boundary_id="recorded"))
job = admin.boundaries.begin_create_cascade_delete_job(
    job_id=f"{mark}-job", party_id=party, boundary_id="b00", polling_interval=0.1
).result()
seen["job"] = [
    job["status"],
    boundaries.get_cascade_delete_job_details(job_id=f"{mark}-job")["status"],
    refused(lambda: boundaries.get(party_id=party, boundary_id="b00"))[1],
]
print(json.dumps(seen))
