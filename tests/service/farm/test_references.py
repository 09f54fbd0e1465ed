"""What documents refer to is there when they are written, and stays: one rule, however they are written."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import delete
from tests.service.farm.conftest import PUBLIC_URL, Caller, resource_id
from tests.service.farm.test_bulk import bring, counts, lines
from tests.service.farm.test_refusals import check

from headland.farm import Stores
from headland.farm.bulk.exporting import ORDER
from headland.farm.catalogue import BY_NAME, FAMILIES, Family
from headland.farm.catalogue.references import Reference
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents.tables import table_of

pytestmark = pytest.mark.anyio

#: What a path has is as good as a parent.
REFERENCES = [
    pytest.param(family, reference, name, id=f"{family.name}-{reference.attribute}-{name}")
    for family in FAMILIES
    for reference in family.references
    for name in reference.families
    if not family.has_file and reference.attribute not in {parent.attribute for parent in family.parents}
]
ON_EACH = pytest.mark.parametrize(("family", "reference", "name"), REFERENCES)


def path_of(family: Family, document: str) -> str:
    party = "/parties/p1" if family.of_party else ""
    return f"{party}/{family.segment.of(family.stored_as)}/{document}"


def linking(family: Family, reference: Reference, name: str, to: str) -> dict[str, Any]:
    """Members by which a document of the family refers to another one."""
    names = shape_of(family, family.stored_as).names
    word = reference.families[name]
    body: dict[str, Any] = {names[reference.attribute]: [to] if reference.several else to}
    if word is not None:
        body[names[reference.to.attribute]] = word  # type: ignore[union-attr]
    return body


@pytest.fixture
async def speaker(caller: Callable[..., Caller], family: Family) -> Caller:
    """Somebody who speaks the version that the family is stored in."""
    speaker = caller(version=family.stored_as)
    await speaker.make("/parties/p1")
    return speaker


async def make(caller: Caller, name: str, document: str = "y1") -> str:
    other = BY_NAME[name]
    path = path_of(other, document)
    version = {} if other.stored_as <= "2022-11-01-preview" else {"params": {"api-version": other.stored_as}}
    assert (await caller("PATCH", path, json={}, **version)).status_code in {200, 201}
    return path


@ON_EACH
async def test_what_is_referred_to_must_be_there(
    speaker: Caller, family: Family, reference: Reference, name: str
) -> None:
    path = path_of(family, "x1")
    body = linking(family, reference, name, "y1")
    member = next(iter(body))
    message = check(await speaker("PATCH", path, json=body), 404, "ResourceNotFound", member)
    assert message.startswith(f"{member}: ")
    assert "'y1'" in message
    line = {"id": "x1", **body} | ({"partyId": "p1"} if family.of_party else {})
    record = {
        "family": family.segment.of(family.stored_as),
        "version": family.stored_as,
        "document": line,
    }
    for way, sent in ((f"bulk/{record['family']}", line), ("bulk", record), ("restore", record)):
        told = await bring(speaker, f"/{way}", lines(sent))
        assert (told[0]["code"], told[0]["target"]) == ("ResourceNotFound", member), way
    assert (await speaker("GET", path)).status_code == 404
    await speaker.make(path)
    check(await speaker("PATCH", path, json=body), 404, "ResourceNotFound", member)
    assert member not in (await speaker("GET", path)).json()


@ON_EACH
async def test_what_is_referred_to_stays(
    speaker: Caller, family: Family, reference: Reference, name: str
) -> None:
    used, path = await make(speaker, name), path_of(family, "x1")
    kept = await make(speaker, name, "y2")
    await speaker.make(path, **linking(family, reference, name, "y1"))
    assert "'x1'" in check(await speaker("DELETE", used), 409, "ResourceInUse")
    assert (await speaker("DELETE", kept)).status_code == 204
    await speaker("PATCH", path, json=dict.fromkeys(linking(family, reference, name, "y1")))
    assert (await speaker("DELETE", used)).status_code == 204


async def test_one_of_several(admin: Caller) -> None:
    await admin.make("/parties/p1")
    for name in ("one", "one-more", "ONE-MORE", "one_more"):
        await admin.make(f"/crop-products/{name}")
    await admin.make("/parties/p1/seasonal-fields/s1", cropProductIds=["one-more"])
    for name in ("one", "ONE-MORE", "one_more"):
        assert (await admin("DELETE", f"/crop-products/{name}")).status_code == 204
    check(await admin("DELETE", "/crop-products/one-more"), 409, "ResourceInUse")
    check(
        await admin("PATCH", "/parties/p1/seasonal-fields/s1", json={"cropProductIds": ["one-more", "one"]}),
        404,
        "ResourceNotFound",
        "cropProductIds",
    )


async def test_another_partys_documents_are_not_there(admin: Caller) -> None:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
    await admin.make("/parties/p2/farms/f1")
    refused = await admin("PATCH", "/parties/p1/fields/x1", json={"farmId": "f1"})
    check(refused, 404, "ResourceNotFound", "farmId")


async def test_what_has_led_nowhere_before_there_was_the_rule_stays(admin: Caller, stores: Stores) -> None:
    await admin.make("/parties/p1")
    path = "/parties/p1/fields/x1"
    await admin.make_linked(path, farmId="f1", name="N")
    await stores.open("store-meadow").write(lambda c: c.execute(delete(table_of(BY_NAME["farms"]))))
    for body in ({"name": "M"}, {"farmId": "f1"}):
        assert (await admin("PATCH", path, json=body)).status_code == 200
    told = await bring(admin, "/bulk/fields", lines({"id": "x1", "partyId": "p1", "farmId": "f1"}))
    assert told[-1]["updated"] == 1
    check(await admin("PATCH", path, json={"farmId": "f2"}), 404, "ResourceNotFound", "farmId")


def test_a_whole_export_has_first_what_others_refer_to() -> None:
    for number, family in enumerate(ORDER):
        needed = {name for reference in family.references for name in reference.families}
        assert needed <= {each.name for each in ORDER[:number]}, family.name


async def test_a_whole_export_comes_back(caller: Callable[..., Caller], directory: Any) -> None:
    admin = caller()
    await admin.make("/parties/p1")
    await admin.make_linked("/crop-products/v1", cropIds=["c1"])
    linked = {"farmId": "f1", "fieldId": "g1", "seasonId": "s1", "cropId": "c1", "cropProductIds": ["v1"]}
    await admin.make_linked("/parties/p1/seasonal-fields/sf", **linked)
    await admin.make_linked("/parties/p1/zones/z1", managementZoneId="m1")
    await admin.make("/parties/p1/boundaries/b1", parentType="Zone", parentId="z1")
    taken = await admin("GET", "/bulk")
    directory.assigned["admin", resource_id("orchard")] = "admin"
    other = caller(base=f"{PUBLIC_URL}/farm/orchard")
    told = await bring(other, "/restore", taken.content)
    count = len(taken.content.splitlines())
    assert counts(told[-1]) == ("finished", count, count, 0, 0)
    assert (await other("GET", "/bulk")).content == taken.content
