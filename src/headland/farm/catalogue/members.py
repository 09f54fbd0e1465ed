"""What a document's member says of itself beside its type: who writes it, in which versions, under which name.

A family declares one Struct with the members of all versions, named as version C has them; the Struct of each
version is made from it. Members that two versions name alike but mean differently are two members. Words that a
version may not say (`OneOf`) are not shown in it, and kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from headland.farm.catalogue.words import OneOf
from headland.farm.versions import ALL, Version, Versions, versions


@dataclass(frozen=True, slots=True)
class In:
    """The versions that have the member."""

    letters: str


@dataclass(frozen=True, slots=True)
class Called:
    """The member's wire name in some versions."""

    name: str
    letters: str


@dataclass(frozen=True, slots=True)
class Apart:
    """The member is kept apart from the document, since lists leave it out in some versions."""

    letters: str


@dataclass(frozen=True, slots=True)
class Required:
    """The versions in which the member, a text, must be there when a document is written. One that another version
    wrote may be read without it, so that no description calls it required.
    """

    letters: str


class ReadOnly:
    """The service writes it; what a client sends in its place is ignored."""


#: Text that a client may leave empty, of at most so many characters.
Text32 = Annotated[str, Meta(max_length=32)]
Text50 = Annotated[str, Meta(max_length=50)]
Text100 = Annotated[str, Meta(max_length=100)]
Text200 = Annotated[str, Meta(max_length=200)]
Text500 = Annotated[str, Meta(max_length=500)]
Text1000 = Annotated[str, Meta(max_length=1000)]

#: In whatever zone; without one it is meant in UTC.
Moment = Annotated[datetime, Meta(extra_json_schema={"format": "date-time"})]

#: Whom a document is from.
Source = Annotated[str, Meta(min_length=2, max_length=100)]

#: Ids of other documents, none of them twice.
Ids = Annotated[
    list[str], Meta(max_length=25, description="At most 25.", extra_json_schema={"uniqueItems": True})
]
Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]

#: For documents that lack a member of the envelope.
Absent = Annotated[str | None, In("")]

#: A bag of pairs that the client makes up. Truth values are none of its values.
Properties = Annotated[
    dict[Annotated[str, Meta(max_length=50)], Annotated[str, Meta(max_length=150)] | int | float],
    Meta(max_length=25, description="At most 25 pairs of text or numbers, of the client's own."),
]


class Measure(Struct, rename="camel", omit_defaults=True):
    """A number and its unit, which is free text."""

    unit: Annotated[str, Meta(min_length=1, max_length=50)] | None = None
    value: float | None = None


class Document(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """The envelope: what documents of every family have."""

    id: Annotated[str, ReadOnly] = ""
    e_tag: Annotated[str, ReadOnly, Meta(description="Changes with every write.")] = ""
    status: Text100 | None = None
    created_date_time: Annotated[Moment | None, ReadOnly] = None
    modified_date_time: Annotated[Moment | None, ReadOnly] = None
    source: Annotated[Source | None, In("B-G")] = None
    name: Text100 | None = None
    description: Text500 | None = None
    created_by: Annotated[str | None, ReadOnly, In("C-G")] = None
    modified_by: Annotated[str | None, ReadOnly, In("C-G")] = None
    properties: Properties | None = None


class PartyDocument(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A document that belongs to a party."""

    party_id: Annotated[str, ReadOnly, Called("farmerId", "AB")] = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A member as declared."""

    #: Of the Struct.
    attribute: str
    #: Wire name where no version has another.
    name: str
    type: Any
    default: Any
    read_only: bool
    versions: Versions
    renamed: tuple[Called, ...]
    #: Whether it is kept apart from the document; and the versions whose lists leave it out.
    apart: bool = False
    unlisted: Versions = frozenset()
    #: What it may say, where that is not any text.
    words: OneOf | None = None
    required: Versions = frozenset()

    def name_in(self, version: Version) -> str:
        """Its wire name in a version that has it."""
        return next(
            (called.name for called in self.renamed if version in versions(called.letters)), self.name
        )

    def type_in(self, version: Version) -> Any:
        """What it may be in a version that has it."""
        if version in self.required:
            some = Annotated[str, Meta(min_length=1)] | None
            return Annotated[some, Meta(description="Must be there when it is written.")]
        if self.words is None or version not in self.words.versions:
            return self.type
        return Literal[tuple(self.words.in_version(version))] | None


@cache
def members_of(document: type[Struct]) -> tuple[Member, ...]:
    """Every member, in the order of declaration."""
    return tuple(_declared(document))


def _declared(document: type[Struct]) -> Iterator[Member]:
    hints = get_type_hints(document, include_extras=True)
    for field in msgspec.structs.fields(document):
        hint = hints[field.name]
        extras = getattr(hint, "__metadata__", ())
        spans = [versions(extra.letters) for extra in extras if isinstance(extra, In)]
        needed = [versions(extra.letters) for extra in extras if isinstance(extra, Required)]
        unlisted = [versions(extra.letters) for extra in extras if isinstance(extra, Apart)]
        yield Member(
            field.name,
            field.encode_name,
            _plain(hint),
            field.default,
            any(extra is ReadOnly for extra in extras),
            spans[0] if spans else ALL,
            tuple(extra for extra in extras if isinstance(extra, Called)),
            bool(unlisted),
            unlisted[0] if unlisted else frozenset(),
            next((extra for extra in extras if isinstance(extra, OneOf)), None),
            needed[0] if needed else frozenset(),
        )


def _plain(hint: Any) -> Any:
    """The type without what only this module understands."""
    if get_origin(hint) is not Annotated:
        return hint
    kept = tuple(extra for extra in hint.__metadata__ if isinstance(extra, Meta))
    return Annotated[hint.__origin__, *kept] if kept else hint.__origin__
