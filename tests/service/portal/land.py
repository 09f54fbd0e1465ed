"""An instance with land in it, as tests of farm pages start from."""

import json

from headland.portal.farms import VERSION
from headland.portal.inside import Inside

SQUARE = {
    "type": "Polygon",
    "coordinates": [[[9.0, 53.0], [9.01, 53.0], [9.01, 53.01], [9.0, 53.01], [9.0, 53.0]]],
}
BOW = {"type": "Polygon", "coordinates": [[[9, 53], [9.01, 53.01], [9.01, 53], [9, 53.01], [9, 53]]]}
TENT = {"type": "Polygon", "coordinates": [[[9, 53], [9.01, 53], [9, 53.01], [9, 53]]]}
FARM = "/portal/farm/north-field"
PARTY = f"{FARM}/parties/hof"


async def provisioned(portal, ada):
    new = "/portal/instances/new"
    form = {
        "subscription": portal.subscription,
        "new_group": "meadow",
        "name": "north-field",
        "location": "westeurope",
    }
    assert (await ada.send(f"{new}/create", on=new, **form)).status == 303
    portal.assembly.deployer.work()


async def put(inside: Inside, path: str, version: str = VERSION, **body: object) -> None:
    await inside.call(
        "PATCH",
        f"/farm/north-field/{path}",
        query={"api-version": version},
        body=json.dumps(body).encode(),
        headers={"content-type": "application/merge-patch+json"},
    )


async def filled(inside: Inside) -> None:
    await put(inside, "parties/hof", name="Hof Marsch", properties={"region": "north"})
    await put(inside, "parties/hof/farms/home", name="Home farm")
    await put(inside, "parties/hof/fields/west", name="West <b>field</b>", farmId="home")
    await put(
        inside,
        "parties/hof/boundaries/w1",
        name="West 2027",
        parentId="west",
        parentType="Field",
        geometry=SQUARE,
    )
    await put(
        inside,
        "parties/hof/planting-data/p1",
        name="Barley",
        associatedBoundaryId="w1",
        operationStartDateTime="2027-03-20T08:00:00Z",
        area={"unit": "ha", "value": 74.5},
    )
