"""Lists: filters, pages, and the tokens between them."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.service.farm.conftest import Caller, Clock

pytestmark = pytest.mark.anyio


async def pages_of(caller: Caller, path: str, **params: object) -> list[list[str]]:
    """Ids of each page, by following the links alone."""
    pages = []
    answer = await caller("GET", path, params=params)
    for _ in range(100):
        assert answer.status_code == 200, answer.text
        body = answer.json()
        pages.append([each["id"] for each in body["value"]])
        if "nextLink" not in body:
            assert "skipToken" not in body
            return pages
        link = urlsplit(body["nextLink"])
        query = parse_qs(link.query)
        assert query == {"api-version": ["2022-11-01-preview"], "skipToken": [body["skipToken"]]}
        # As a public client does: decoded, and not encoded again.
        answer = await caller("GET", path, params={name: values[0] for name, values in query.items()})
    raise AssertionError("the list has no end")


async def test_an_empty_list(admin: Caller) -> None:
    assert (await admin("GET", "/parties")).content == b'{"value":[]}'


async def test_a_list_has_whole_documents(admin: Caller) -> None:
    made = [await admin.make(f"/parties/p{number}", name=f"ü{number}") for number in range(3)]
    assert (await admin("GET", "/parties")).json() == {"value": made}


async def test_lists_under_a_party_and_across_parties(admin: Caller) -> None:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        await admin.make(f"/parties/{party}/fields/{party}f")
    assert await admin.ids("/parties/p2/fields") == ["p2f"]
    assert await admin.ids("/fields") == ["p1f", "p2f"]
    assert await admin.ids("/parties/nobody/fields") == []


async def test_parties_are_found_by_a_part_of_their_name(admin: Caller, monkeypatch) -> None:
    named = {"aa": "Hof Öhlmühle", "bb": "100% Hof", "cc": "Vorwerk", "dd": None}
    for id_, name in named.items():
        await admin.make(f"/parties/{id_}", **({"name": name} if name else {}))
    for part, ids in (("hOF", ["aa", "bb"]), ("öHLMÜ", ["aa"]), ("%", ["bb"]), ("_", []), ("werk", ["cc"])):
        assert await admin.ids("/parties", nameContains=part) == ids, part
    assert await admin.ids("/parties", nameContains="hof", ids=["bb", "cc"]) == ["bb"]
    # No index leads there: so many are looked at for an answer, and the rest for the next.
    monkeypatch.setattr("headland.farm.documents.pages.MOST_LOOKED_AT", 2)
    assert await pages_of(admin, "/parties", nameContains="rwerk") == [[], ["cc"]]


async def test_pages(admin: Caller) -> None:
    names = [f"p{number:02}" for number in range(25)]
    for name in names:
        await admin.make(f"/parties/{name}")
    assert await pages_of(admin, "/parties") == [names]
    assert await pages_of(admin, "/parties", maxPageSize=10) == [names[:10], names[10:20], names[20:]]
    assert await pages_of(admin, "/parties", maxPageSize=25) == [names]


async def test_fifty_are_a_page_if_nothing_is_said(admin: Caller) -> None:
    for number in range(51):
        await admin.make(f"/parties/p{number:02}")
    assert [len(page) for page in await pages_of(admin, "/parties")] == [50, 1]


async def test_a_link_leads_to_the_same_list(admin: Caller) -> None:
    await admin.make("/parties/p1")
    for number in range(11):
        await admin.make(f"/parties/p1/farms/f{number:02}")
    body = (await admin("GET", "/parties/p1/farms", params={"maxPageSize": 10})).json()
    assert body["nextLink"].startswith(
        "https://headland.example:8443/farm/meadow/parties/p1/farms?api-version="
    )
    assert re.fullmatch(r"[A-Za-z0-9\-_.~]+", body["skipToken"])


async def test_pages_while_documents_come_and_go(admin: Caller) -> None:
    for number in range(20):
        await admin.make(f"/parties/p{number:02}")
    first = (await admin("GET", "/parties", params={"maxPageSize": 10})).json()
    assert [each["id"] for each in first["value"]][-1] == "p09"
    for gone in ("p00", "p09", "p12"):
        await admin("DELETE", f"/parties/{gone}")
    await admin("PATCH", "/parties/p11", json={"name": "changed"})
    await admin.make("/parties/a-new")
    rest = await admin.ids("/parties", skipToken=first["skipToken"])
    assert rest == ["p10", "p11", *(f"p{number}" for number in range(13, 20)), "a-new"]


@pytest.mark.parametrize("path", ["/farms", "/parties/p1/farms"])
async def test_a_page_looks_at_so_many_documents(
    admin: Caller, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("headland.farm.documents.pages.MOST_LOOKED_AT", 10)
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
    for number in range(25):
        await admin.make("/parties/p2/farms/other" + str(number), status="on")
        await admin.make(f"/parties/p1/farms/f{number:02}", status="on" if number in {3, 24} else "off")
    wanted = ["f03", "f24"]
    found = await pages_of(admin, path, statuses="on", sources=["x"])
    assert len(found) > 2
    assert [name for page in found for name in page if name.startswith("f")] == wanted
    none = await pages_of(admin, path, statuses="none")
    assert not any(none)
    # What an index leads to is not looked for.
    assert await pages_of(admin, path, ids=["f24"], statuses="on") == [["f24"]]


async def test_a_token_has_the_whole_query(admin: Caller) -> None:
    for number in range(30):
        await admin.make(f"/parties/p{number:02}", name=("odd & #1", "even")[number % 2 == 0])
    wanted = [f"p{number:02}" for number in range(30) if number % 2]
    pages = await pages_of(admin, "/parties", names=["odd & #1"], maxPageSize=10)
    assert pages == [wanted[:10], wanted[10:]]


async def test_tokens_of_other_lists(admin: Caller, caller, directory) -> None:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        for number in range(11):
            await admin.make(f"/parties/{party}/farms/f{number:02}")
    body = (await admin("GET", "/parties/p1/farms", params={"maxPageSize": 10})).json()
    token = body["skipToken"]
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    elsewhere = caller(base="https://headland.example:8443/farm/orchard")
    directory.assign("admin", "admin", "orchard")
    for asked, path, sent in (
        (admin, "/parties/p2/farms", token),
        (admin, "/farms", token),
        (admin, "/parties", token),
        (admin, "/parties/p1/farms", changed),
        (admin, "/parties/p1/farms", "x"),
        (admin, "/parties/p1/farms", ""),
        (admin, "/parties/p1/farms", "ä#["),
        (elsewhere, "/parties/p1/farms", token),
    ):
        refused = await asked("GET", path, params={"skipToken": sent})
        assert refused.status_code == 400, (path, sent)
        assert refused.json()["error"]["target"] == "skipToken"
    assert len(await admin.ids("/parties/p1/farms", skipToken=token)) == 1


async def test_common_filters(admin: Caller, clock: Clock) -> None:
    await admin.make("/parties/p1", name="north", status="on", properties={"soil": "loam", "n": 1})
    clock.now += 10
    await admin.make("/parties/p2", name="south", status="on", properties={"soil": "sand", "x": 1.5})
    clock.now += 10
    await admin.make("/parties/p3", name="north", status="off")
    clock.now += 10
    await admin("PATCH", "/parties/p1", json={})
    for params, wanted in (
        ({"ids": ["p3", "p1", "none"]}, ["p1", "p3"]),
        ({"names": "north"}, ["p1", "p3"]),
        ({"names": ["north", "south"]}, ["p1", "p2", "p3"]),
        ({"names": "nort"}, []),
        ({"statuses": "on"}, ["p1", "p2"]),
        ({"statuses": "on", "names": "north"}, ["p1"]),
        ({"propertyFilters": "soil eq loam"}, ["p1"]),
        ({"propertyFilters": ["soil eq loam", "x eq 1.5"]}, ["p1", "p2"]),
        ({"propertyFilters": "n eq 1"}, ["p1"]),
        ({"propertyFilters": "soil eq clay"}, []),
        ({"minCreatedDateTime": "2027-01-15T08:00:10Z"}, ["p2", "p3"]),
        ({"maxCreatedDateTime": "2027-01-15T08:00:10Z"}, ["p1", "p2"]),
        (
            {
                "minCreatedDateTime": "2027-01-15T09:00:10+01:00",
                "maxCreatedDateTime": "2027-01-15T08:00:10.000Z",
            },
            ["p2"],
        ),
        ({"minLastModifiedDateTime": "2027-01-15T08:00:30Z"}, ["p1"]),
        ({"maxLastModifiedDateTime": "2027-01-15T08:00:20Z"}, ["p2", "p3"]),
        ({"unknown": "x", "$maxPageSize": "25"}, ["p1", "p2", "p3"]),
    ):
        assert await admin.ids("/parties", **params) == wanted, params


async def test_an_array_that_was_encoded_twice(admin: Caller) -> None:
    for name in ("p1", "p2", "p3"):
        await admin.make(f"/parties/{name}")
    assert await admin.ids("/parties", ids="p1&ids=p3") == ["p1", "p3"]


@pytest.mark.parametrize(
    ("path", "documents", "asked"),
    [
        ("/parties/p1/fields", {"a1": {"farmId": "f1"}, "b1": {"farmId": "f2"}}, {"farmIds": "f1"}),
        ("/fields", {"a1": {"farmId": "f1"}, "b1": {"farmId": "f2"}}, {"farmIds": "f1"}),
        ("/seasonal-fields", {"a1": {"fieldId": "f1"}, "b1": {"fieldId": "f2"}}, {"fieldIds": ["f1", "f3"]}),
        ("/seasonal-fields", {"a1": {"seasonId": "s1"}, "b1": {"seasonId": "s2"}}, {"seasonIds": "s1"}),
        ("/seasonal-fields", {"a1": {"cropId": "s1"}, "b1": {}}, {"cropIds": "s1"}),
        (
            "/parties/p1/seasonal-fields",
            {"a1": {"cropProductIds": ["x1", "y1"]}, "b1": {"cropProductIds": ["x1y1"]}},
            {"cropProductIds": ["y1"]},
        ),
        ("/seasons", {"a1": {"year": 2026}, "b1": {"year": 2025}, "c1": {}}, {"years": [2026, 2027]}),
        (
            "/seasons",
            {
                "a1": {"startDateTime": "2026-03-01T00:00:00Z"},
                "b1": {"startDateTime": "2026-04-01T00:00:00Z"},
            },
            {"minStartDateTime": "2026-02-01T00:00:00Z", "maxStartDateTime": "2026-03-01T00:00:00Z"},
        ),
        ("/crops", {"a1": {"phenotype": "tall"}, "b1": {"phenotype": "low"}}, {"phenotypes": "tall"}),
        ("/crops", {"a1": {"breedingMethod": "HYBRID"}, "b1": {}}, {"breedingMethods": "HYBRID"}),
        ("/crop-products", {"a1": {"cropIds": ["c1", "c2"]}, "b1": {"cropIds": ["c3"]}}, {"cropIds": "c2"}),
        ("/crop-products", {"a1": {"brand": "B"}, "b1": {"brand": "C"}}, {"brands": "B"}),
        ("/crop-products", {"a1": {"product": "B"}, "b1": {}}, {"products": "B"}),
        ("/crop-products", {"a1": {"trait": "B"}, "b1": {}}, {"traits": "B"}),
    ],
)
async def test_each_familys_own_filters(admin: Caller, path: str, documents: dict, asked: dict) -> None:
    await admin.make("/parties/p1")
    family = path.rsplit("/", 1)[1]
    under = "/parties/p1" if family in {"fields", "seasonal-fields"} else ""
    for name, body in documents.items():
        await admin.make_linked(f"{under}/{family}/{name}", **body)
    assert await admin.ids(path, **asked) == ["a1"]
    # What it is filtered by follows what it says.
    await admin("PATCH", f"{under}/{family}/a1", json=dict.fromkeys(documents["a1"]))
    assert await admin.ids(path, **asked) == []


@pytest.mark.parametrize(
    ("params", "target"),
    [
        ({"maxPageSize": "9"}, "maxPageSize"),
        ({"maxPageSize": "1001"}, "maxPageSize"),
        ({"maxPageSize": "ten"}, "maxPageSize"),
        ({"maxPageSize": ["10", "20"]}, "maxPageSize"),
        ({"minCreatedDateTime": "yesterday"}, "minCreatedDateTime"),
        ({"minCreatedDateTime": ["2020-01-01T00:00:00Z"] * 2}, "minCreatedDateTime"),
        ({"maxLastModifiedDateTime": ""}, "maxLastModifiedDateTime"),
        ({"propertyFilters": "soil=loam"}, "propertyFilters"),
        ({"years": "26.5"}, "years"),
        ({"years": "9" * 30}, "years"),
    ],
)
async def test_parameters_that_cannot_be(admin: Caller, params: dict, target: str) -> None:
    refused = await admin("GET", "/seasons", params=params)
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["code"], error["target"]) == ("InvalidInput", target)
    assert error["details"][0]["target"] == target
