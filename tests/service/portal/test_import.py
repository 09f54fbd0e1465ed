"""Files of outlines brought in through the portal."""

import io
import json
import zipfile
from typing import Any

import httpx
import pytest
import shapefile
from tests.service.portal.conftest import Browser, Page
from tests.service.portal.land import BOW, PARTY, SQUARE, TENT, filled, provisioned

from headland.portal.pages import importing

pytestmark = pytest.mark.anyio

IMPORT = f"{PARTY}/import"
DEGREES = 'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984"]]'


def collection(*found: tuple[Any, dict[str, Any]], **more: Any) -> bytes:
    listed = [{"type": "Feature", "geometry": g, "properties": p} for g, p in found]
    return json.dumps({"type": "FeatureCollection", "features": listed, **more}).encode()


def zipped(prj: str = DEGREES, stems: tuple[str, ...] = ("fields",), **parts: bytes) -> bytes:
    """A shapefile of one square, in an archive."""
    files = {part: io.BytesIO() for part in ("shp", "shx", "dbf")}
    with shapefile.Writer(**files) as writer:
        writer.field("NAME", "C")
        writer.poly([[[9, 53], [9, 53.01], [9.01, 53.01], [9.01, 53], [9, 53]]])
        writer.record(NAME="Größe")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zip_:
        for stem in stems:
            for part, content in ({name: file.getvalue() for name, file in files.items()} | parts).items():
                zip_.writestr(f"data/{stem}.{part}", content)
            zip_.writestr(f"data/{stem}.prj", prj)
    return archive.getvalue()


async def send(browser: Browser, content: bytes, name: str = "fields.geojson", **form: str) -> Page:
    token = (await browser.open(IMPORT)).value("csrf")
    form = {"csrf": token, **form}
    return Page(await browser.client.post(IMPORT, data=form, files={"file": (name, content)}))


async def confirm(browser: Browser, plan: Page, **form: str) -> Page:
    given = {"csrf": plan.value("csrf"), "features": plan.value("features"), **form}
    return Page(await browser.client.post(f"{IMPORT}/confirm", data=given))


@pytest.fixture
async def ada(portal, inside) -> Browser:
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    return ada


async def test_a_file_is_looked_at_and_then_brought_in(ada, inside):
    content = collection(
        (SQUARE, {"FIELD_ID": "f-1", "Name": "North <i>"}),
        (TENT, {"FIELD_ID": "f-2", "Name": "South"}),
        (BOW, {"FIELD_ID": "f-3", "Name": "Bow"}),
        ({"type": "Point", "coordinates": [9, 53]}, {"FIELD_ID": "f-4"}),
        (TENT, {"FIELD_ID": "f-1"}),
        (TENT, {"FIELD_ID": "w1"}),
        (TENT, {"FIELD_ID": "no id!"}),
        (TENT, {}),
    )
    plan = await send(ada, content)
    assert "2 of 8 outlines can be brought in" in plan.text
    for told in (
        "Outline 3 (Bow): it intersects itself, at [9.005, 53.005]",
        "Outline 4: it is no outline",
        "Outline 5 (f-1): outline 1 has the same ID",
        "Outline 6 (w1): there is a boundary with the ID w1 already",
        "'no id!' is no id",
        "Outline 8: it has no FIELD_ID",
    ):
        assert told in plan.text, told
    assert "<i>" not in plan.html
    assert "North" not in (await ada.open(f"{PARTY}/boundaries")).text
    chosen = {"id_property": "FIELD_ID", "name_property": "Name", "with_fields": "on"}
    done = await confirm(ada, plan, act="import", **chosen)
    assert "Made 4 Changed 0 Refused 6" in done.text
    for kind in ("fields", "boundaries"):
        listed = (await ada.open(f"{PARTY}/{kind}")).text
        assert ("North <i>" in listed, "South" in listed, "Bow" in listed) == (True, True, False)
    assert "f-1" in (await ada.open(f"{PARTY}/boundaries/f-1")).text

    # Once more: all of it is there, and is changed where that is wished.
    assert "0 of 8" in (await send(ada, content)).text
    changing = await confirm(ada, plan, act="look", changing="on", **chosen)
    assert "3 of 8" in changing.text
    assert 'name="changing" checked' in changing.html


async def test_ids_of_outlines_are_the_same_each_time(ada):
    plan = await send(ada, collection((TENT, {"Label": "Tent"})), field="west")
    done = await confirm(ada, plan, act="import", name_property="Label", field="west")
    assert "Made 1" in done.text
    assert "Tent" in (await ada.open(f"{PARTY}/fields/west")).text
    assert "0 of 1" in (await send(ada, collection((TENT, {"Label": "Other"})))).text


async def test_a_zipped_shapefile(ada):
    plan = await send(ada, zipped(), "fields.zip")
    assert "1 of 1 outline can be brought in" in plan.text
    assert "Größe" in plan.text
    assert "Made 1" in (await confirm(ada, plan, act="import", name_property="NAME")).text


async def test_files_that_are_not_taken_say_why(ada):
    for content, told in (
        (b"", "The file is empty."),
        (b"<kml/>", "neither GeoJSON nor a zipped shapefile"),
        (b"[1]", "is JSON, and no GeoJSON"),
        (b'{"type": "Topology"}', "neither features nor an outline"),
        (b'{"type": "FeatureCollection", "features": []}', "There is no outline in the file."),
        (collection(*[(TENT, {})] * 5_001), "more than 5000 outlines"),
        (collection((TENT, {}), crs={"properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}), "EPSG::25832"),
        (zipped(stems=()), "There is no shapefile in the archive."),
        (zipped(stems=("a", "b")), "several shapefiles"),
        (zipped('PROJCS["ETRS89 / UTM zone 32N",GEOGCS["ETRS89"]]'), "is in ETRS89 / UTM zone 32N"),
        (zipped(shp=b"nonsense"), "it may be damaged"),
        (zipped()[:200], "can't be unzipped"),
    ):
        answer = await send(ada, content)
        assert (answer.status, told in answer.text) == (400, True), (told, answer.text)
    assert "larger than 64 MB when it is unzipped" in (await send(ada, zipped(shp=bytes(65 << 20)))).text
    assert "Choose a file." in (await send(ada, b"", "")).text
    lost = await confirm(ada, await send(ada, collection((TENT, {}))), features="x")
    assert (lost.status, "was lost on the way" in lost.text) == (400, True)


async def test_what_is_too_large_or_forged_is_not_taken(ada):
    large = await send(ada, b" " * (importing.LARGEST_FILE + 1))
    assert (large.status, "larger than the 16 MB" in large.text) == (413, True)
    forged = await ada.client.post(IMPORT, data={"csrf": "x"}, files={"file": ("a", collection((TENT, {})))})
    assert forged.status_code == 403
    nobody = await httpx.AsyncClient(transport=ada.client._transport, base_url=ada.client.base_url).post(
        IMPORT, data={"csrf": "x"}, files={"file": ("a", b"")}
    )
    assert nobody.status_code == 401
