"""Farm records by azure-agrifood-farming, logged in by azure-identity; what was seen is printed as JSON."""

import json
import sys

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options, refused


def client(role: str) -> FarmBeatsClient:
    return FarmBeatsClient(endpoint=ENDPOINT, credential=ClientSecretCredential(**credential_options(role)))


mark = sys.argv[1]
admin, contributor, reader, stranger = map(client, ("admin", "contributor", "reader", "stranger"))
party = f"{mark}-party"
seen = {}

body = {
    "name": "Contoso Farmer",
    "status": "Sample",
    "properties": {"foo": "bar", "numeric one": 1, "1": "k"},
}
created = contributor.parties.create_or_update(party_id=party, party=body)
seen["created"] = created
seen["same"] = reader.parties.get(party_id=party) == created
updated = contributor.parties.create_or_update(party_id=party, party={"status": None, "name": "New"})
seen["updated"] = updated

for number in range(120):
    contributor.parties.create_or_update(
        party_id=f"{mark}-{number:03}", party={"name": f"{mark} & co #{number % 2}"}
    )
named = [f"{mark} & co #1"]
seen["listed"] = [each["id"] for each in reader.parties.list(names=named)]
seen["pages"] = [len(list(page)) for page in reader.parties.list(names=named).by_page()]
seen["all"] = sum(each["id"].startswith(f"{mark}-") for each in reader.parties.list())
seen["ids"] = [each["id"] for each in reader.parties.list(ids=[f"{mark}-007", f"{mark}-003"])]

farm = contributor.farms.create_or_update(party_id=party, farm_id="farm-1", farm={"name": "F"})
contributor.fields.create_or_update(party_id=party, field_id="field-1", field={"farmId": "farm-1"})
season = {
    "startDateTime": "2021-01-01T20:08:10.137Z",
    "endDateTime": "2021-06-06T20:08:10.137Z",
    "year": "2021",
}
seen["season"] = contributor.seasons.create_or_update(season_id=f"{mark}-season", season=season)
crop = contributor.crops.create_or_update(crop_id=f"{mark}-crop", crop={"phenotype": "tall"})
product = contributor.crop_products.create_or_update(
    crop_product_id=f"{mark}-product", crop_product={"cropIds": [crop["id"]], "brand": "B"}
)
contributor.seasonal_fields.create_or_update(
    party_id=party,
    seasonal_field_id="sf-1",
    seasonal_field={
        "farmId": "farm-1",
        "fieldId": "field-1",
        "seasonId": f"{mark}-season",
        "cropId": crop["id"],
        "cropProductIds": [product["id"]],
    },
)
seen["linked"] = {
    "farms": [each["id"] for each in reader.farms.list_by_party_id(party_id=party)],
    "fields": [each["id"] for each in reader.fields.list_by_party_id(party_id=party, farm_ids=["farm-1"])],
    "seasonal": [each["id"] for each in reader.seasonal_fields.list(crop_ids=[crop["id"]])],
    "products": [each["id"] for each in reader.crop_products.list(crop_ids=[crop["id"]])],
    "seasons": [each["id"] for each in reader.seasons.list(years=[2021]) if each["id"].startswith(mark)],
}

seen["refusals"] = {
    "no role": refused(lambda: stranger.parties.get(party_id=party)),
    "reader writes": refused(lambda: reader.parties.create_or_update(party_id=party, party={})),
    "contributor deletes": refused(lambda: contributor.parties.delete(party_id=party)),
    "absent": refused(lambda: reader.parties.get(party_id=f"{mark}-none")),
    "invalid": refused(lambda: contributor.parties.create_or_update(party_id="x", party={})),
    "in use": refused(lambda: admin.parties.delete(party_id=party)),
    "stale": refused(
        lambda: contributor.parties.create_or_update(
            party_id=party, party={}, headers={"If-Match": created["eTag"]}
        )
    ),
}

admin.seasonal_fields.delete(party_id=party, seasonal_field_id="sf-1")
admin.fields.delete(party_id=party, field_id="field-1")
admin.farms.delete(party_id=party, farm_id=farm["id"])
admin.parties.delete(party_id=party)
seen["deleted"] = refused(lambda: reader.parties.get(party_id=party))
print(json.dumps(seen))
