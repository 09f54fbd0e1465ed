"""What documents refer to is there when they are written, and stays while they do."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, bindparam

from headland.database.expressions import found_in
from headland.database.prepared import Prepared
from headland.farm.catalogue import BY_NAME, FAMILIES, PARTIES, Family
from headland.farm.catalogue.references import ByType, Reference
from headland.farm.catalogue.shape import Shape, whole
from headland.farm.documents import rows
from headland.farm.documents.facts import Facts, fact, facts, item, items_of
from headland.farm.documents.hiding import visible
from headland.farm.documents.rows import NO_PARTY, Key
from headland.farm.documents.tables import table_of
from headland.farm.errors import InvalidInputError, ResourceInUseError, ResourceNotFoundError


class Referred(NamedTuple):
    """What a document refers to."""

    family: Family
    key: Key


def check_referred(connection: Connection, shape: Shape, key: Key, known: Facts) -> None:
    """Whether the documents are there that one refers to. `known` is kept beside it (`Made.facts`). What it refers to
    already may be missing: it was written before there was this rule.

    Raises:
        InvalidInputError: it has to refer to one, and does not.
        ResourceNotFoundError: there is none such.
    """
    before: set[Referred] | None = None
    for reference in _in_members(shape.family):
        if reference.required:
            _check_said(shape, reference, known)
        for referred in _referred(shape.family, reference, key, known):
            if rows.exists(connection, *referred):
                continue
            if before is None:
                before = _referred_before(connection, shape.family, key)
            if referred not in before:
                kind = referred.family.kind.of(shape.version)
                raise ResourceNotFoundError(kind, referred.key.id, shape.names.get(reference.attribute))


def check_unused(connection: Connection, shape: Shape, key: Key) -> None:
    """Raises ResourceInUseError where others refer to a document."""
    family, version = shape.family, shape.version
    for use in _uses(family):
        found = use.select.row(connection, **{**key._asdict(), "item": item(key.id)})
        if found:
            raise ResourceInUseError(family.kind.of(version), key.id, use.family.kind.of(version), found[0])


def referred_to(family: Family, key: Key, known: Facts) -> Iterator[tuple[Reference, Referred]]:
    """What a document refers to, by which members."""
    for reference in family.references:
        for referred in _referred(family, reference, key, known):
            yield reference, referred


@cache
def _in_members(family: Family) -> tuple[Reference, ...]:
    """Those references that a document's path does not have, too."""
    above = {parent.attribute for parent in family.parents}
    return tuple(each for each in family.references if each.attribute not in above)


def _check_said(shape: Shape, reference: Reference, known: Facts) -> None:
    names = [reference.attribute]
    if isinstance(reference.to, ByType):
        names.append(reference.to.attribute)
    for name in names:
        if fact(shape.family, known, name) is None:
            raise InvalidInputError("It is required.", shape.names[name])


def _referred(family: Family, reference: Reference, key: Key, known: Facts) -> Iterator[Referred]:
    value = fact(family, known, reference.attribute)
    name: str | None = None
    if isinstance(reference.to, ByType):
        name = reference.to.families.get(fact(family, known, reference.to.attribute))
    else:
        name = reference.to
    if value is None or name is None:
        return
    other = BY_NAME[name]
    for text in items_of(value) if reference.several else (value,):
        if not other.of_party:
            yield Referred(other, Key(NO_PARTY, text))
        else:
            # What has ids of its own below other parents is only referred to from below the same.
            yield Referred(other, Key(key.party, text, key.within if other.below else ""))


def _referred_before(connection: Connection, family: Family, key: Key) -> set[Referred]:
    row = rows.find(connection, family, key)
    if row is None:
        return set()
    known = facts(family, whole(family, row.stored))
    return {referred for _, referred in referred_to(family, key, known)}


@dataclass(frozen=True, slots=True)
class _Use:
    family: Family
    select: Prepared


@cache
def _uses(family: Family) -> tuple[_Use, ...]:
    found = []
    for other in FAMILIES:
        table = table_of(other)
        if family is PARTIES and other.of_party:
            found.append(_use(other, table.c.party == bindparam("id")))
        found += [
            _use(other, *_conditions(family, table, reference))
            for reference in other.references
            if family.name in reference.families
        ]
    return tuple(found)


def _use(family: Family, *conditions: ColumnElement[bool]) -> _Use:
    table = table_of(family)
    return _Use(family, Prepared(sa.select(table.c.id).where(*conditions, visible(family)).limit(1)))


def _conditions(family: Family, table: sa.Table, reference: Reference) -> Iterator[ColumnElement[bool]]:
    """Under which a row refers to the document of `family` with the parameters' key."""
    column = table.c[reference.attribute]
    if reference.several:
        # The index has all that is looked at.
        yield column.is_not(None)
        yield found_in(bindparam("item", type_=column.type), column)
    else:
        yield column == bindparam("id")
    if family.of_party:
        yield table.c.party == bindparam("party")
    if family.below:
        yield table.c.within == bindparam("within")
    if isinstance(reference.to, ByType):
        yield table.c[reference.to.attribute] == sa.literal(reference.families[family.name])
