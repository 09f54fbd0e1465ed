"""A member has the JSON type that it is declared with, in every family and version, however it is written."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.databases import EITHER
from tests.farm_facts import KnownMember, known_members
from tests.service.farm.conftest import Caller
from tests.service.farm.test_bulk import bring, lines
from tests.service.farm.test_every_family import ALIKE, IDS, minimal, ready, sample, segments

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.shape import shape_of
from headland.farm.versions import ALL, Version

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("template", EITHER, indirect=True)]

__all__ = ["ready"]

#: A value of each JSON type, and what other types are often written as.
VALUES: list[Any] = ["text", "2", "1.5", "NaN", "-Infinity", "true", "null", 20210101, 1.5, True, ["x"], {}]
CASES = [
    pytest.param(family, version, id=f"{family.name}-{version.name}")
    for family in FAMILIES
    for version in sorted((ALL & family.versions) - ALIKE)
    if not family.has_file and family.served
]
#: A patch takes more time than a line.
PATCHED = [case for case in CASES if case.values[1] is case.values[0].stored_as]


def wrong(member: KnownMember, version: Version) -> Iterator[tuple[str, Any]]:
    """Values that a member can't have, and below which of its own members each is wrong."""
    kind = member.type
    if kind.startswith("map(any"):
        yield from (("", value) for value in VALUES if not isinstance(value, dict))
    elif kind.startswith("["):
        yield from (("", value) for value in VALUES if not isinstance(value, list))
        for below, value in wrong(KnownMember("", kind[1:-1], False, False, {}), version):
            yield f"[1]{below}", [sample(KnownMember("", kind[1:-1], False, False, {}), version), value]
    elif kind.startswith("map("):
        yield from (("", value) for value in VALUES if not isinstance(value, dict))
        for below, value in wrong(KnownMember("", kind[4:-1], False, False, {}), version):
            yield f".m{below}", {"m": value}
    elif kind == "object":
        yield from (("", value) for value in VALUES if not isinstance(value, dict))
        yield from ((".k", {"n": 1, "k": value}) for value in VALUES if isinstance(value, bool | list | dict))
    elif kind in RIGHT:
        yield from (("", value) for value in VALUES if not RIGHT[kind](value))
    else:
        yield from (("", value) for value in VALUES if not isinstance(value, dict))
        nested = known_members(kind, version.name)
        assert nested is not None, kind
        for name, each in nested.items():
            for below, value in wrong(each, version):
                yield f".{name}{below}", {name: value}


def is_whole_number(value: Any) -> bool:
    # The samples of the public SDKs send a season's year as text.
    return value in ("2", 20210101) and not isinstance(value, bool)


RIGHT: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "int32": is_whole_number,
    "double": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "datetime": lambda _: False,
}


def mistakes(family: Family, version: Version) -> Iterator[tuple[str, str, Any]]:
    """Members, the path of what is wrong in each, and the value."""
    members, shape = known_members(family.kind.of(version), version.name), shape_of(family, version)
    assert members is not None
    own = {shape.names[attribute] for attribute in shape.names.keys() - shape.read_only}
    for name, member in members.items():
        if name in own and not member.type.startswith("GeoJson"):
            for below, value in wrong(member, version):
                yield name, f"{name}{below}", value


@pytest.mark.parametrize(("family", "version"), PATCHED)
async def test_no_value_of_another_type_is_taken(ready: Caller, family: Family, version: Version) -> None:
    below, body = segments(family, version), minimal(family, version)
    found = list(mistakes(family, version))
    assert found
    for name, path, value in found:
        answer = await ready("PATCH", f"{below}/x1", json={**body, name: value})
        assert answer.status_code == 400, (path, value)
        error = answer.json()["error"]
        assert error["message"].startswith(f"{path}: "), (path, value, error)
        assert error["target"] == path
    assert (await ready("GET", f"{below}/x1")).status_code == 404


@pytest.mark.parametrize(("family", "version"), CASES)
async def test_nor_is_one_in_a_line(ready: Caller, family: Family, version: Version) -> None:
    if family.nesting and version in family.nesting.versions:
        pytest.skip("lines of this version say no parents")
    names = shape_of(family, version).names
    above = {names[parent.attribute]: IDS[parent.attribute] for parent in family.parents}
    body = {"id": "x1", **above, **minimal(family, version)}
    found = list(mistakes(family, version))
    told = await bring(
        ready,
        f"/bulk/{family.segment.of(version)}",
        lines(*({**body, name: value} for name, _, value in found)),
    )
    assert told[-1]["created"] == 0
    assert [each["target"] for each in told if each["event"] == "refused"] == [path for _, path, _ in found]


POLYGON = [[[10.0, 50.0], [10.1, 50.0], [10.1, 50.1], [10.0, 50.0]]]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("50.0", "[0][1][1]"),
        ("NaN", "[0][1][1]"),
        (True, "[0][1][1]"),
        (None, "[0][1][1]"),
    ],
)
async def test_coordinates_are_numbers(admin: Caller, value: Any, path: str) -> None:
    await admin.make("/parties/p1")
    ring = [[10.0, 50.0], [10.1, value], [10.1, 50.1], [10.0, 50.0]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    answer = await admin("PATCH", "/parties/p1/boundaries/b1", json={"geometry": geometry})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["target"] == f"geometry.coordinates{path}"
    assert error["message"].startswith(f"geometry.coordinates{path}: ")
    line = {"id": "b1", "partyId": "p1", "geometry": geometry}
    told = await bring(admin, "/bulk/boundaries", lines(line))
    assert told[0]["target"] == f"geometry.coordinates{path}"


@pytest.mark.parametrize("number", ["1e-400", "-1E-400", "1e400", "0." + "0" * 400 + "1", "1" * 400])
async def test_numbers_that_a_double_cannot_hold_are_refused(admin: Caller, number: str) -> None:
    await admin.make("/parties/p1")
    merge = {"content-type": "application/merge-patch+json"}
    for path, name, body in (
        ("/parties/p1/farms/f1", "properties.x", '{"properties": {"x": %s}}'),
        ("/parties/p1/harvest-data/h1", "avgYield.value", '{"avgYield": {"value": %s}}'),
        (
            "/parties/p1/boundaries/b1",
            "geometry.coordinates[0][0][1]",
            '{"geometry": {"type": "Polygon", "coordinates": [[[1, %s], [1, 1], [0, 1], [1, 0]]]}}',
        ),
    ):
        answer = await admin("PATCH", path, content=body % number, headers=merge)
        assert answer.status_code == 400, answer.text
        error = answer.json()["error"]
        assert error["target"] == name
        assert error["message"].startswith(f"{name}: the number {number[:40]}")
        line = json.dumps({"id": path[-2:], "partyId": "p1"})[:-1] + ", " + (body % number)[1:]
        told = await bring(admin, f"/bulk/{path.split('/')[3]}", line.encode())
        assert told[0]["target"] == name


async def test_small_numbers_and_text_that_looks_like_large_ones_stay(admin: Caller) -> None:
    made = await admin.make("/parties/p1", name="1e-400", properties={"x": 5e-324, "y": 0.0, "z": 1.7e308})
    assert made["properties"] == {"x": 5e-324, "y": 0.0, "z": 1.7e308}
    assert made["name"] == "1e-400"


async def test_a_message_names_the_entry_of_a_bag(admin: Caller) -> None:
    many = {f"k{number}": number for number in range(20)}
    for bag, name in (
        ({**many, "bad": True, "last": 1}, "properties.bad"),
        ({**many, "x" * 51: 1}, f"properties.{'x' * 51}"),
    ):
        answer = await admin("PATCH", "/parties/p1", json={"properties": bag})
        assert answer.json()["error"]["target"] == name
        assert answer.json()["error"]["message"].startswith(f"{name}: ")
