"""Every operation on plain documents by azure-agrifood-farming; what was seen is printed as JSON."""

import json
import sys
from typing import Any

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options, refused

mark = sys.argv[1]
client = FarmBeatsClient(
    endpoint=ENDPOINT, credential=ClientSecretCredential(**credential_options("admin")), logging_enable=False
)
party = f"{mark}-party"
acres = {"unit": "Acre", "value": 12.5}

#: A body by the group of a party's documents, and a filter of its lists that finds it.
OF_PARTY: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "farms": ({"name": mark}, {"names": [mark]}),
    "fields": ({"farmId": "f1"}, {"farm_ids": ["f1"]}),
    "seasonal_fields": ({"farmId": "f1", "cropProductIds": ["v1"]}, {"crop_product_ids": ["v1"]}),
    "management_zones": ({"type": "T", "fieldId": "f1"}, {"types": ["T"]}),
    "zones": ({"type": "T", "managementZoneId": "m1"}, {"management_zone_ids": ["m1"]}),
    "prescription_maps": ({"cropId": "c1", "source": "SRC"}, {"sources": ["SRC"]}),
    "prescriptions": ({"productCode": "P", "measurements": {"m": acres}}, {"product_codes": ["P"]}),
    "planting_data": (
        {"area": acres, "plantingProductDetails": [{"productName": "N", "area": acres}]},
        {"min_area": 12.5, "max_area": 12.5},
    ),
    "tillage_data": ({"tillageDepth": acres}, {"min_tillage_depth": 12}),
    "application_data": (
        {"avgMaterial": acres, "associatedBoundaryId": "b1"},
        {"associated_boundary_ids": ["b1"]},
    ),
    "harvest_data": (
        {"avgYield": acres, "harvestProductDetails": [{"productName": "N"}]},
        {"max_avg_yield": 13},
    ),
    "plant_tissue_analyses": ({"growthStage": "G", "cropProductId": "v1"}, {"crop_products_ids": ["v1"]}),
    "nutrient_analyses": ({"classification": "high", "value": 1.5}, {"classifications": ["high"]}),
}
#: The same of documents that are the instance's.
OF_ALL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "seasons": ({"year": 2021}, {"years": [2021]}),
    "crops": ({"breedingMethod": "HYBRID"}, {"breeding_methods": ["HYBRID"]}),
    "crop_products": ({"traits": "x", "trait": "T", "brand": "B"}, {"traits": ["T"]}),
}


def lived(group: Any, above: list[str], body: dict[str, Any], filters: dict[str, Any]) -> dict[str, Any]:
    """A document's life, and the lists that have it."""
    made = group.create_or_update(*above, "x1", body)
    seen = {
        "kept": {name: made.get(name) for name in body},
        "same": group.get(*above, "x1") == made,
        "changed": group.create_or_update(*above, "x1", {"description": mark})["description"],
    }
    if above:
        seen["below"] = [each["id"] for each in group.list_by_party_id(*above, **filters)]
    seen["listed"] = [each["id"] for each in group.list(**filters) if each.get("description") == mark]
    group.delete(*above, "x1")
    seen["gone"] = refused(lambda: group.get(*above, "x1"))[:2]
    return seen


client.parties.create_or_update(party, {})
# What the bodies refer to.
client.farms.create_or_update(party, "f1", {})
client.fields.create_or_update(party, "f1", {})
client.management_zones.create_or_update(party, "m1", {})
client.crops.create_or_update("c1", {})
client.crop_products.create_or_update("v1", {})
seen: dict[str, Any] = {"groups": {}}
for name, (body, filters) in OF_PARTY.items():
    seen["groups"][name] = lived(getattr(client, name), [party], body, filters)
for name, (body, filters) in OF_ALL.items():
    seen["groups"][name] = lived(getattr(client, name), [], body, filters)

path = [party, "model-1", "Party", party]
insight = {"modelVersion": "1", "measurements": {"NDVI": {"unit": "%", "value": 40.0}}}
made = client.insights.create_or_update(*path, "i1", insight)
below = client.insights.list_by_party_id_model_id_and_resource
seen["insight"] = {
    "made": made,
    "same": client.insights.get(*path, "i1") == made,
    "by unit": [each["id"] for each in below(*path, measurement_filters=["NDVI.unit eq %"])],
    "by value": [each["id"] for each in below(*path, measurement_filters=["NDVI.value eq 41"])],
}
client.insights.delete(*path, "i1")
seen["insight"]["gone"] = refused(lambda: client.insights.get(*path, "i1"))[:2]

for number in range(51):
    client.tillage_data.create_or_update(party, f"t{number:02}", {"tillageDepth": acres, "source": mark})
pages = {
    "below": client.tillage_data.list_by_party_id(party, sources=[mark], min_tillage_depth=1).by_page(),
    "listed": client.tillage_data.list(sources=[mark], min_tillage_depth=1).by_page(),
}
seen["pages"] = {name: [len(list(page)) for page in found if page] for name, found in pages.items()}
print(json.dumps(seen))
