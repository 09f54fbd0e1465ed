"""Versions, and one family as each of them has it."""

import json
from dataclasses import replace
from typing import Annotated

import msgspec
import pytest

from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.members import Called, In, PartyDocument, ReadOnly, members_of
from headland.farm.catalogue.shape import Stored, shape_of, whole
from headland.farm.catalogue.words import Word, one_of
from headland.farm.versions import ALL, Version, versions
from headland.http.validation import BodyInvalidError

LEVELS = one_of("High", Word("Low", {"AB": "Poor"}), Word("Middle", versions=versions("C-G")), letters="A-E")


class Plot(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A piece of land with members that come, go and change their names."""

    acreage: Annotated[float | None, In("AB")] = None
    area: Annotated[float | None, In("C-G")] = None
    measurements: Annotated[int | None, Called("measures", "B")] = None
    boundary: Annotated[str | None, ReadOnly, In("A-E")] = None
    level: Annotated[str | None, LEVELS] = None


PLOTS = Family("plots", Spelling("Plot"), Spelling("plots"), Spelling("plotId"), Plot)


def test_letters() -> None:
    assert versions("A-G") == ALL == frozenset(Version)
    assert versions("A-CF") == {Version.A, Version.B, Version.C, Version.F}
    assert versions("") == frozenset()
    with pytest.raises(ValueError, match="substring"):
        versions("H")


def test_a_version_has_its_members_by_its_names() -> None:
    names = {
        version: {field.encode_name for field in msgspec.structs.fields(shape_of(PLOTS, version).struct)}
        for version in Version
    }
    assert {"farmerId", "acreage", "measurements", "boundary"} <= names[Version.A]
    assert {"farmerId", "acreage", "measures", "boundary"} <= names[Version.B]
    assert {"partyId", "area", "measurements", "boundary", "createdBy"} <= names[Version.C]
    assert not {"source", "createdBy"} & names[Version.A]
    assert "boundary" not in names[Version.G]


def test_what_one_version_writes_the_others_show_by_their_names() -> None:
    old, new = shape_of(PLOTS, Version.B), shape_of(PLOTS, Version.C)
    document = old.checked({"measures": 3, "acreage": 1.5, "area": 9, "name": "N"})
    stored = old.stored(document, None, {"created_by": "me"})
    assert json.loads(stored.document) == {"name": "N", "measurements": 3, "createdBy": "me"}
    assert json.loads(new.read(stored)) == {"name": "N", "measurements": 3, "createdBy": "me"}
    assert json.loads(old.read(stored)) == {"name": "N", "measures": 3, "acreage": 1.5}


def test_a_version_keeps_what_it_does_not_know() -> None:
    old, new = shape_of(PLOTS, Version.B), shape_of(PLOTS, Version.C)
    first = old.stored(old.checked({"acreage": 1.5, "name": "N"}), None, {})
    second = new.stored(new.checked({"area": 2.0, "name": "M"}), first, {})
    assert json.loads(old.read(second)) == {"name": "M", "acreage": 1.5}
    third = old.stored(old.checked({"name": "O"}), second, {"modified_by": "you"})
    assert json.loads(new.read(third)) == {"name": "O", "area": 2.0, "modifiedBy": "you"}
    assert third.rest is None
    everything = whole(PLOTS, second)
    assert (everything.name, everything.area, everything.acreage) == ("M", 2.0, 1.5)


def test_bytes_are_passed_on_where_versions_agree() -> None:
    stored = Stored(b'{"anything": "at all"}')
    for version in versions("C-E"):
        assert shape_of(PLOTS, version).read(stored) is stored.document


def test_what_clients_may_write() -> None:
    patch = {"id": "x", "eTag": "x", "partyId": "x", "boundary": "x", "unknown": 1, "name": "N", "area": None}
    assert shape_of(PLOTS, Version.C).writable(patch) == {"name": "N", "area": None}


def test_what_is_wrong_is_named_as_the_version_names_it() -> None:
    with pytest.raises(BodyInvalidError) as refused:
        shape_of(PLOTS, Version.B).checked({"measures": "many"})
    assert refused.value.field == "measures"


def test_words_that_some_versions_spell_otherwise() -> None:
    old, new = shape_of(PLOTS, Version.B), shape_of(PLOTS, Version.C)
    stored = old.stored(old.checked({"level": "Poor"}), None, {})
    assert json.loads(stored.document) == {"level": "Low"}
    assert json.loads(old.read(stored)) == {"level": "Poor"}
    for shape, word in ((old, "Low"), (old, "Middle"), (new, "Poor"), (new, "")):
        with pytest.raises(BodyInvalidError) as refused:
            shape.checked({"level": word})
        assert refused.value.field == "level"


def test_words_that_a_version_may_not_say_are_kept() -> None:
    old, new, free = (shape_of(PLOTS, version) for version in (Version.B, Version.C, Version.G))
    for said, shape in (("Middle", new), ("any", free)):
        stored = shape.stored(shape.checked({"level": said}), None, {})
        assert json.loads(old.read(stored)) == {}
        renamed = old.stored(old.checked({"name": "N"}), stored, {})
        assert json.loads(shape.read(renamed)) == {"name": "N", "level": said}
        changed = old.stored(old.checked({"level": "High"}), renamed, {})
        assert json.loads(shape.read(changed)) == {"level": "High"}
    stored = free.stored(free.checked({"level": "any"}), None, {})
    renamed = new.stored(new.checked({"name": "N"}), stored, {})
    assert json.loads(new.read(renamed)) == {"name": "N"}
    assert json.loads(free.read(renamed)) == {"name": "N", "level": "any"}
    assert whole(PLOTS, renamed).level == "any"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_in_every_version_of_its(family: Family) -> None:
    for version in family.versions:
        shape = shape_of(family, version)
        members = [each for each in members_of(family.document) if version in each.versions]
        required = [
            each.name_in(version)
            for each in members
            if version in each.required or each.default is msgspec.NODEFAULT
        ]
        wire = {"name": "N", **dict.fromkeys(required, "x1")}
        assert json.loads(shape.read(shape.stored(shape.checked(wire), None, {}))) == wire


def test_references_lead_to_families() -> None:
    names = {family.name for family in FAMILIES}
    assert {
        to for family in FAMILIES for reference in family.references for to in reference.families
    } <= names
    assert len(names) == len(FAMILIES)


def test_actions_are_in_camel_case() -> None:
    family = Family("crop_products", *[Spelling("x")] * 3, Plot)
    assert family.action("list/action") == "Microsoft.AgFoodPlatform/farmBeats/cropProducts/list/action"
    assert replace(family, name="farms").action("read") == "Microsoft.AgFoodPlatform/farmBeats/farms/read"
