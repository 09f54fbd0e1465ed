"""Farm data in the portal: from an instance's parties down to what was done on a field."""

import html
import json
import re

import mapbox_vector_tile
import pytest
from tests.service.portal.land import BOW, FARM, PARTY, SQUARE, TENT, filled, provisioned, put

from headland.portal.farms import VERSION

pytestmark = pytest.mark.anyio

READER, CONTRIBUTOR = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba", "8508508a-4469-4e45-963b-2518ee0bb728"


async def test_from_the_instance_to_what_was_done_on_a_field(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    assert "No parties yet" in (await ada.open(FARM)).text
    await filled(inside)
    assert "north-field" in (await ada.open("/portal/farm")).text
    assert "Hof Marsch" in (await ada.open(f"{FARM}?name=MARS")).text
    assert "No party is called so" in (await ada.open(f"{FARM}?name=Hofs")).text
    party = await ada.open(PARTY)
    assert {"Home farm", "north"} <= {text for text in ("Home farm", "north") if text in party.text}
    assert f'href="{PARTY}/fields/west"' in party.html
    farm = await ada.open(f"{PARTY}/farms/home")
    assert "West <b>field</b>" in farm.text
    field = await ada.open(f"{PARTY}/fields/west")
    for text in (
        "West 2027",
        "Barley",
        "74.5 ha",
        "2027-03-20 08:00:00",
        "Seasons",
        "Planting",
        "No weather",
    ):
        assert text in field.text, text
    assert "<b>field" not in field.html
    assert "Barley" in (await ada.open(f"{PARTY}/planting-data/p1")).text


async def test_a_file_is_attached_and_taken_out(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    field = f"{PARTY}/fields/west"
    token = (await ada.open(field)).value("csrf")
    form = {"csrf": token, "name": 'Soil "map"'}
    content = bytes(range(256)) * 400
    sent = await ada.client.post(f"{field}/attach", data=form, files={"file": ("Böden 2027.tif", content)})
    assert sent.status_code == 303, sent.text
    page = await ada.open(sent.headers["location"])
    assert {"The file is attached.", 'Soil "map"', "Böden 2027.tif"} <= {
        told for told in ("The file is attached.", 'Soil "map"', "Böden 2027.tif") if told in page.text
    }
    attachment = html.unescape(re.search(rf'href="({PARTY}/attachments/[^"]+)"', page.html)[1])
    assert f'href="{attachment}/file"' in (await ada.open(attachment)).html
    file = (await ada.open(f"{attachment}/file")).response
    assert file.content == content
    assert "B%C3%B6den%202027.tif" in file.headers["content-disposition"]
    none = await ada.client.post(f"{field}/attach", data=form, files={"file": ("", b"")})
    assert (none.status_code, "No file was chosen" in none.text) == (400, True)
    assert (await ada.open(f"{PARTY}/attachments/none/file")).status == 404


async def test_roles_are_offered_what_they_may(portal, inside):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    await provisioned(portal, ada)
    await filled(inside)
    instance = f"/portal/instances/{portal.subscription}/meadow/north-field"
    access = await ada.open(f"{instance}/access/add?find=ben")
    boundary, acts = f"{PARTY}/boundaries/w1", ("Change the outline", "Attach a file", "Delete this boundary")

    async def offered(role: str) -> tuple[bool, ...]:
        given = {"role": role, "principal": access.value("principal")}
        assert (await ada.send(f"{instance}/access/add", **given)).status == 303
        page = await ben.open(boundary)
        assert page.status == 200, page.text
        return tuple(act in page.text for act in acts)

    assert await offered(READER) == (False, False, False)
    for path in (f"{boundary}/edit", f"{PARTY}/draw", f"{PARTY}/import"):
        refused = await ben.open(path)
        assert (refused.status, "Your role on this instance" in refused.text) == (403, True)
    # Who reads an instance's data sees that there is a subscription, and neither what is in it nor who is who.
    for path, told in (
        ("/portal/farm", "north-field"),
        ("/portal/instances", "Instances whose data you may use are under Farm data"),
        ("/portal/instances/new", "none of your roles lets you make one"),
    ):
        page = await ben.open(path)
        assert (page.status, told in page.text) == (200, True), page.text
    refused = await ben.open(instance)
    assert refused.status == 403
    assert "None of your roles allows it" in refused.text
    assert "does not have authorization to perform action" in refused.text
    listed = await ada.open(f"{instance}/access")
    await ada.send(re.search(r'action="([^"]*/remove)"', listed.html)[1], on=f"{instance}/access")
    assert await offered(CONTRIBUTOR) == (True, True, False)
    assert (await ben.send(f"{boundary}/delete", on=f"{boundary}/edit")).status == 403
    assert "Delete this boundary" in (await ada.open(boundary)).text
    used = await ada.send(f"{PARTY}/fields/west/delete", on=f"{PARTY}/fields/west")
    assert (used.status, "That does not go together" in used.text) == (409, True)
    await inside.call(
        "DELETE", "/farm/north-field/parties/hof/planting-data/p1", query={"api-version": VERSION}
    )
    gone = await ada.follow(await ada.send(f"{boundary}/delete", on=boundary))
    assert ("The boundary is deleted." in gone.text, "West 2027" in gone.text) == (True, False)


async def test_each_page_leads_to_the_same_data_in_the_api(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    for path, id_ in ((f"{PARTY}/fields/west", "west"), (PARTY, "hof")):
        page = await ada.open(path)
        link = page.html.split('class="data"><a href="')[1].split('"')[0].replace("&amp;", "&")
        assert (await ada.open(link)).response.json()["id"] == id_


async def test_a_map_draws_tiles_that_it_is_led_to(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    for path in (FARM, PARTY, f"{PARTY}/farms/home", f"{PARTY}/fields/west", f"{PARTY}/boundaries/w1"):
        page = await ada.open(path)
        tiles = html.unescape(re.search(r'data-tiles="([^"]*)"', page.html)[1])
        description = (await ada.open(tiles)).response.json()
        assert description["bounds"] == pytest.approx([9.0, 53.0, 9.01, 53.01], abs=1e-5)
        (template,) = description["tiles"]
        tile = template.replace("{z}", "12").replace("{x}", "2150").replace("{y}", "1334")
        first = (await ada.open(tile)).response
        (feature,) = mapbox_vector_tile.decode(first.content)["outlines"]["features"]
        assert feature["properties"]["id"] == "w1"
        again = await ada.open(tile, headers={"if-none-match": first.headers["etag"]})
        assert again.status == 304
    nothing = (await ada.open(f"{FARM}/tiles?partyId=hof&parentId=east")).response.json()
    assert "bounds" not in nothing
    assert (await ada.open(f"{FARM}/tiles/17/0/0")).status == 400


async def test_a_boundary_is_drawn_and_changed(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    draw = f"{PARTY}/draw?field=west"
    form = {"name": "West 2028", "id": "w2", "parent": "west"}
    for geometry, told in (
        ("", "This is no GeoJSON"),
        ('{"type": "Polygon",\n"coordinates": [}', "in line 2"),
        (json.dumps({"type": "Point", "coordinates": [9, 53]}), "a Polygon or a MultiPolygon"),
        (json.dumps({"type": "FeatureCollection", "features": []}), "just one feature"),
        (json.dumps({"type": "Polygon", "coordinates": "here"}), "Expected"),
        (json.dumps(BOW), "It intersects itself, at longitude 9.005, latitude 53.005."),
    ):
        wrong = await ada.send(draw, **form, geometry=geometry)
        assert (wrong.status, told in wrong.text) == (400, True), wrong.text
        assert html.escape(geometry.partition("\n")[0]).replace("&quot;", "&#34;") in wrong.html
    assert 'data-wrong="9.005,53.005"' in wrong.html
    feature = {"type": "Feature", "properties": {}, "geometry": TENT}
    saved = await ada.follow(await ada.send(draw, **form, geometry=json.dumps(feature)))
    for text in ("The boundary is saved.", "West 2028", "Field", "west"):
        assert text in saved.text
    twice = await ada.send(draw, **form, geometry=json.dumps(TENT))
    assert (twice.status, "There is a boundary with this ID already." in twice.text) == (412, True)

    edit = f"{PARTY}/boundaries/w2/edit"
    opened = await ada.open(edit)
    etag = opened.value("etag")
    assert "[9.0,53.0],\n[9.01,53.0]" in opened.html
    await put(inside, "parties/hof/boundaries/w2", name="Another's")
    late = await ada.send(edit, name="Mine", etag=etag, geometry=json.dumps(SQUARE))
    assert (late.status, "Somebody else has changed this boundary" in late.text) == (409, True)
    assert late.value("etag") != etag
    again = await ada.send(edit, name="Mine", etag=late.value("etag"), geometry=json.dumps(SQUARE))
    assert "Mine" in (await ada.follow(again)).text
    kept = await inside.call(
        "GET", "/farm/north-field/parties/hof/boundaries/w2", query={"api-version": VERSION}
    )
    assert (kept.document["geometry"], kept.document["parentId"]) == (SQUARE, "west")


async def test_lists_go_on_page_by_page(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    for number in range(60):
        await put(inside, f"parties/p{number}", name=f"Party {number:02d}")
    first = await ada.open(FARM)
    assert ("Party 00" in first.text, "Party 59" in first.text) == (True, False)
    link = first.html.split('rel="next"')[0].rpartition('href="')[2].split('"')[0].replace("&amp;", "&")
    second = await ada.open(link)
    assert ("Party 00" in second.text, "Party 59" in second.text) == (False, True)
    found = await ada.open(f"{FARM}?name=Party 07")
    assert ("Party 07" in found.text, "Party 08" in found.text) == (True, False)


async def test_whoever_has_no_role_sees_nothing_of_it(portal, inside):
    ada, eve = await portal.person(), await portal.person("eve", administrator=False)
    await provisioned(portal, ada)
    await filled(inside)
    page = await eve.open("/portal/farm")
    assert ("No instance whose data you may see" in page.text, "north-field" in page.text) == (True, False)
    for path in (
        FARM,
        PARTY,
        f"{PARTY}/fields/west",
        f"{FARM}/tiles",
        f"{FARM}/tiles/0/0/0",
        "/portal/data" + FARM.removeprefix("/portal"),
    ):
        page = await eve.open(path)
        assert page.status in {400, 403}, path
        assert "Marsch" not in page.html


@pytest.mark.parametrize(
    "path", ["/portal/farm/none", f"{FARM}/parties/none", f"{PARTY}/secrets", f"{PARTY}/fields/none"]
)
async def test_what_there_is_not_is_told_so(portal, inside, path):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    assert (await ada.open(path)).status == 404
