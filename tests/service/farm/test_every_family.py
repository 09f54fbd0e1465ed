"""Every family in every version, through the application: bodies are made from what is known of the schemas."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.databases import EITHER, SYSTEMS
from tests.farm_facts import KnownMember, known_members
from tests.service.farm.conftest import Caller

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.filters import Filter, Match
from headland.farm.catalogue.shape import shape_of
from headland.farm.versions import ALL, Version

pytestmark = pytest.mark.anyio

#: What has tests of its own.
ELSEWHERE = {"boundaries", "attachments", "insight_attachments", "dataset_accesses"}
#: Of which limits are tried: others have the same.
DIFFERENT = {Version.B, Version.C, Version.G}
#: Versions that have what C has, as the catalogue's comparison with the tables shows.
ALIKE = {Version.D, Version.E}
#: On both databases in one version a family: what a version is called differs in no statement.
CASES = [
    pytest.param(system, family, version, id=f"{family.name}-{version.name}-{system}")
    for family in FAMILIES
    for version in sorted((ALL & family.versions) - ALIKE)
    for system in (SYSTEMS if version is family.stored_as else EITHER)
    if family.name not in ELSEWHERE
]
ON_EACH = pytest.mark.parametrize(("template", "family", "version"), CASES, indirect=["template"])
#: Documents that others lie below.
IDS = {
    "party_id": "p1",
    "model_id": "m1",
    "resource_type": "Farm",
    "resource_id": "f1",
    "dataset_id": "d1",
    "crop_id": "c1",
}
SHAPED = {"geometry"}


def segments(family: Family, version: Version) -> str:
    """The path of a family's documents below parents that are there."""
    parents = list(family.parents)
    if family.nesting and version in family.nesting.versions:
        parents.append(family.nesting.parent)
    steps = [f"/{parent.segment.of(version)}/{IDS[parent.attribute]}" for parent in parents]
    return f"{''.join(steps)}/{family.segment.of(version)}"


@pytest.fixture
async def ready(caller: Callable[..., Caller], family: Family, version: Version) -> Caller:
    """Somebody who speaks the version, and the documents that the family's lie below."""
    admin = caller(version=version)
    parties = "farmers" if version.name in "AB" else "parties"
    await admin.make(f"/{parties}/p1")
    await admin.make(f"/{parties}/p1/farms/f1")
    await admin.make("/crops/c1")
    if version is Version.G:
        await admin.make("/datasets/d1")
    return admin


def sample(member: KnownMember, version: Version) -> Any:
    """A value as large as it may be."""
    kind = member.type
    if kind == "string":
        words = member.rules.get("enum")
        return words.split("/")[-1] if words else "x" * int(member.rules.get("maxLen", 7))
    plain = {"int32": 7, "double": 1.25, "bool": True, "datetime": "2021-02-03T04:05:06Z"}
    if kind in plain:
        return plain[kind]
    if kind == "object":
        return {"k" * 50: "v" * 150, "n": 1.5}
    if kind == "map(any)":
        return {"type": "object"}
    for pattern, made in (
        (r"\[(\w+)\]", lambda value: [value]),
        (r"map\((\w+)\)", lambda value: {"m": value}),
    ):
        found = re.fullmatch(pattern, kind)
        if found:
            return made(sample(KnownMember("", found[1], False, False, {}), version))
    nested = known_members(kind, version.name)
    assert nested is not None, kind
    return {name: sample(each, version) for name, each in nested.items()}


def full_body(family: Family, version: Version) -> dict[str, Any]:
    """All that a client may write."""
    members = known_members(family.kind.of(version), version.name)
    assert members is not None
    return {
        name: sample(each, version)
        for name, each in members.items()
        if not each.read_only and name not in SHAPED
    }


def too_much(family: Family, version: Version) -> Iterator[tuple[str, Any]]:
    """Bodies that are refused, and the member that is wrong."""
    members = known_members(family.kind.of(version), version.name)
    assert members is not None
    for name, member in members.items():
        if member.read_only or name in SHAPED:
            continue
        if "maxLen" in member.rules:
            yield name, "x" * (int(member.rules["maxLen"]) + 1)
        if int(member.rules.get("minLen", 0)) > 1:
            yield name, "x"
        if "enum" in member.rules:
            yield name, "none of them"
        yield name, [[]] if member.type != "map(any)" else 7


def minimal(family: Family, version: Version) -> dict[str, Any]:
    """No more than has to be there."""
    members = known_members(family.kind.of(version), version.name)
    assert members is not None
    return {name: sample(each, version) for name, each in members.items() if each.required}


@ON_EACH
async def test_a_document_lives(ready: Caller, family: Family, version: Version) -> None:
    below = segments(family, version)
    body = full_body(family, version)
    made = await ready.make_linked(f"{below}/x1", **body)
    assert made.items() >= body.items()
    members = known_members(family.kind.of(version), version.name)
    assert members is not None
    assert made.keys() <= members.keys()
    assert (await ready("GET", f"{below}/x1")).json() == made
    changed = await ready("PATCH", f"{below}/x1", json={"name": None, "description": "D"})
    assert changed.status_code == 200
    assert "name" not in changed.json()
    assert changed.json()["eTag"] != made["eTag"]
    assert (await ready("DELETE", f"{below}/x1")).status_code == 204
    assert (await ready("GET", f"{below}/x1")).status_code == 404


@pytest.mark.parametrize(
    ("template", "family", "version"),
    [case for case in CASES if case.values[0] in EITHER and case.values[2] in DIFFERENT],
    indirect=["template"],
)
async def test_limits(ready: Caller, family: Family, version: Version) -> None:
    path = f"{segments(family, version)}/x1"
    for name, value in too_much(family, version):
        refused = await ready("PATCH", path, json={**minimal(family, version), name: value})
        assert refused.status_code == 400, (name, value, refused.text)
        assert refused.json()["error"]["target"].split("[")[0].split(".")[0] == name, (name, value)
    assert (await ready("GET", path)).status_code == 404


def asked(each: Filter, value: Any) -> tuple[list[Any], list[Any]]:
    """What finds a document that has this value, and what does not."""
    if each.match in {Match.AT_LEAST, Match.AT_MOST}:
        step = 1 if each.match is Match.AT_LEAST else -1
        if isinstance(value, str):
            return [value], ["9000-01-01T00:00:00Z" if step > 0 else "1000-01-01T00:00:00Z"]
        return [value], [value + step]
    if each.match is Match.HAS_ANY:
        return ["other", value[0]], ["other"]
    if each.match is Match.HAS_PAIR:
        key, text = next(iter(value.items()))
        return [f"{key} eq {text}"], [f"{key} eq other", f"other eq {text}"]
    if each.match is Match.HAS_MEASURE:
        key, measure = next(iter(value.items()))
        unit, number = measure["unit"], measure["value"]
        return [f"{key}.unit eq {unit}", f"{key}.value eq -1"], [f"{key}.value eq {number + 1}"]
    return [value], [value + 1 if isinstance(value, int) else "other"]


def value_at(document: Any, path: list[str]) -> Any:
    """What filters look at: a member, or a member of a member."""
    for name in path:
        document = document[name]
    return document


def wire_path(family: Family, version: Version, each: Filter) -> list[str] | None:
    """Where a filter's value stands in a document; None where the version does not show it."""
    first, *rest = each.column.path
    name = shape_of(family, version).names.get(first)
    return None if name is None else [name, *(part if "_" not in part else camel(part) for part in rest)]


def camel(attribute: str) -> str:
    first, *words = attribute.split("_")
    return first + "".join(map(str.title, words))


@ON_EACH
async def test_filters(ready: Caller, family: Family, version: Version) -> None:
    below = segments(family, version)
    made = await ready.make_linked(f"{below}/full1", **full_body(family, version))
    await ready.make_linked(f"{below}/bare1", **minimal(family, version))
    for each in family.filters:
        name = each.parameter
        if version not in each.versions or name.endswith(("CreatedDateTime", "ModifiedDateTime")):
            continue
        path = wire_path(family, version, each)
        if path is None or path[0] in minimal(family, version):
            continue
        some, none = asked(each, value_at(made, path))
        words = shape_of(family, version).words(each.column)
        if words is not None and words.read(version, "other") is None:
            none = [word for word in words.in_version(version) if word not in some][:1]
        assert await found(ready, family, version, {name: some}) == ["full1"], name
        if none:
            assert await found(ready, family, version, {name: none}) == [], name


async def found(caller: Caller, family: Family, version: Version, filters: dict[str, Any]) -> list[str]:
    """Ids on the first page, below the parents and, where there is such a list, of all; or of a search."""
    segment = next((each.segment for each in family.searches if version in each.versions), None)
    if segment is not None:
        repeated = {each.parameter for each in family.filters if each.repeated}
        body = {name: value if name in repeated else value[0] for name, value in filters.items()}
        answer = await caller("POST", f"/{segment}", json=body)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["value"]]
    below = await caller.ids(segments(family, version), **filters)
    if family.listed_whole and family.parents:
        assert await caller.ids(f"/{family.segment.of(version)}", **filters) == below
    return below
