"""Series on a field's page: what its harvests, applications and samples of plants have measured over the years."""

import re

import pytest
from tests.service.portal.land import PARTY, SQUARE, filled, provisioned, put

from headland.portal.farms import NEWEST, VERSION

pytestmark = pytest.mark.anyio

WEST = f"{PARTY}/fields/west"


def harvest(year, **more):
    yields = {"productName": "Rye", "avgYield": {"value": year - 2018.5, "unit": "t/ha"}}
    return {
        "operationStartDateTime": f"{year}-08-02T09:00:00Z",
        "harvestProductDetails": [yields],
        # Of the whole, which is not told again where products are told apart.
        "avgYield": {"value": 99, "unit": "t/ha"},
        **more,
    }


async def analysed(inside, day, value, **more):
    sample = f"t{day}"
    taken = {"fieldId": "west", "sampleCollectionDateTime": f"{day}T09:00:00Z"}
    await put(inside, f"parties/hof/plant-tissue-analyses/{sample}", **taken)
    found = {"name": "Nitrogen", "unit": "%", "value": value, **more}
    parent = {"parentId": sample, "parentType": "PlantTissueAnalysis"}
    await put(inside, f"parties/hof/nutrient-analyses/n{day}", **found, **parent)


async def test_the_latest_are_shown_of_many(portal, inside, monkeypatch):
    monkeypatch.setattr("headland.portal.farms._AT_ONCE", 10)
    monkeypatch.setattr("headland.portal.series.charts.MOST_DRAWN", 8)
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    of_field = {"associatedResource": {"type": "Field", "id": "west"}}
    for year in range(2030, 2006, -1):
        way = {"associatedBoundaryId": "w1"} if year % 2 else of_field
        version = NEWEST if way is of_field else VERSION
        await put(inside, f"parties/hof/harvest-data/h{year}", version, **harvest(year), **way)
    page = await ada.open(WEST)
    figures = page.text.partition("Average yield in t/ha")[2]
    assert re.findall(r"(20\d\d)-08-02 Rye", figures) == [str(year) for year in range(2030, 2022, -1)]
    assert "The latest 8 of 24 are shown." in page.text
    assert "more than were looked at" not in page.text


async def test_what_was_measured_is_told_by_its_time(portal, inside):
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    empty = await ada.open(WEST)
    for text in (
        "No harvest of this field",
        "Nothing was put on this field",
        "No sample of this field's plants",
    ):
        assert text in empty.text
    assert "uPlot" not in empty.html
    # In the field's boundary, in its season's, and by the newest version, which knows no boundaries.
    await put(inside, "parties/hof/seasonal-fields/w20", fieldId="west")
    season = {"parentId": "w20", "parentType": "SeasonalField", "geometry": SQUARE}
    await put(inside, "parties/hof/boundaries/s20", **season)
    await put(inside, "parties/hof/harvest-data/h19", **harvest(2019), associatedBoundaryId="w1")
    await put(inside, "parties/hof/harvest-data/h20", **harvest(2020), associatedBoundaryId="s20")
    of_field = {"associatedResource": {"type": "Field", "id": "west"}}
    await put(inside, "parties/hof/harvest-data/h21", NEWEST, **harvest(2021), **of_field)
    # What can't be drawn: no time, no number; and another field's.
    await put(inside, "parties/hof/harvest-data/h22", associatedBoundaryId="w1", avgYield={"value": 77})
    await put(
        inside, "parties/hof/harvest-data/h23", **harvest(2023, harvestProductDetails=[], avgYield=None)
    )
    await put(inside, "parties/hof/harvest-data/h24", **harvest(2024))
    await analysed(inside, "2020-04-02", 0.00042, referenceValueLow=3.2, referenceValueHigh=4.6)
    await analysed(inside, "2021-04-02", 12345.67891)
    page = await ada.open(WEST)
    series = page.html.partition('id="series"')[2]
    shown = page.text.partition("Average yield in t/ha")[2]
    for date, value in (("2019-08-02", "0.5"), ("2020-08-02", "1.5"), ("2021-08-02", "2.5")):
        assert f"{date} Rye {value} " in shown, shown
    assert not [
        text
        for text in ("2022-08", "2023-08", "2024-08", " 99 ", " 77 ")
        if text in shown.partition("Total")[0]
    ]
    assert f'href="{PARTY}/harvest-data/h21"' in series
    assert "2020-04-02 0.00042 3.2 to 4.6" in page.text
    assert "2021-04-02 12,345.6789 " in page.text
    data = "/farm/north-field/parties/hof/harvest-data?associatedBoundaryIds=w1&associatedBoundaryIds=s20"
    assert data in page.text
    assert "No harvest of this field" not in page.text
    sample = await ada.open(f"{PARTY}/plant-tissue-analyses/t2020-04-02")
    assert "Nitrogen" in sample.text
    assert f'<a href="{WEST}">west</a>' in sample.html
    operation = await ada.open(f"{PARTY}/harvest-data/h21")
    assert "Operation start (UTC) 2021-08-02 09:00:00" in operation.text
    assert "Product name: Rye, Avg yield: 2.5 t/ha" in operation.text
