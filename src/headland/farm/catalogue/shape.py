"""A family's documents as one version has them."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from headland.farm.catalogue.family import GEOMETRY, Family
from headland.farm.catalogue.filters import Column
from headland.farm.catalogue.members import Document, Ids, Member, Moment, members_of
from headland.farm.catalogue.words import OneOf
from headland.farm.versions import Version
from headland.http.validation import BodyInvalidError, convert_json, has_plain_numbers

#: A document without its type, by wire names.
Wire = dict[str, Any]

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


class Stored(NamedTuple):
    """A document's bytes, as a row keeps them."""

    #: As the version answers it in whose form the family is stored (`Family.stored_as`).
    document: bytes
    #: Members which that version does not have, if there are any.
    rest: bytes | None = None
    #: Members that are kept apart (`Apart`), by the names that most versions have.
    apart: bytes | None = None


class Shape:
    """One family in one version. Obtained from `shape_of`."""

    def __init__(self, family: Family, version: Version) -> None:
        self.family = family
        self.version = version
        members = tuple(m for m in members_of(family.document) if version in m.versions)
        listed = tuple(m for m in members if version not in m.unlisted)
        self.struct = _struct(family.kind.of(version), family.document, members, version)
        self._decoder = msgspec.json.Decoder(self.struct)
        #: What lists have of it.
        self.listed_struct = self.struct
        if listed != members:
            self.listed_struct = _struct(family.listed_kind.of(version), family.document, listed, version)
        self._every_apart = frozenset(family.apart.values())
        self._apart = frozenset(m.name for m in members if m.apart)
        self._listed_apart = frozenset(m.name for m in listed if m.apart)
        self.apart_attributes = tuple(m.attribute for m in members if m.apart)
        #: Members that are not kept apart.
        self.members = tuple(m for m in members if not m.apart)
        #: Attributes of members that only the service writes, and what they are where it has not.
        self.read_only = {m.attribute: m.default for m in members if m.read_only}
        self._writable = frozenset(m.name_in(version) for m in self.members if not m.read_only)
        self._ids = tuple(m.attribute for m in self.members if m.type == Ids | None)
        self._required = tuple(m.attribute for m in self.members if version in m.required)
        self._times = tuple(m.attribute for m in self.members if m.type == Moment | None)
        self._whole_numbers = tuple(m.name_in(version) for m in self.members if _is_whole_number(m))
        #: Their wire names by attribute.
        self.names = {m.attribute: m.name_in(version) for m in self.members}
        self._links = tuple(each.attribute for each in family.links if each.attribute in self.names)
        #: Those of the members that say under which key a document is, by attribute.
        self.placing = {a: self.names[a] for a in ("id", *(p.attribute for p in family.parents))}
        self._attributes = {name: attribute for attribute, name in self.names.items()}
        #: By attribute, where not any text may stand.
        self._words = {m.attribute: m.words for m in self.members if m.words is not None}
        #: Whether documents have a geometry, and whether lists show what is kept apart.
        self.has_geometry = GEOMETRY in self._apart
        self.lists_apart = bool(self._listed_apart)
        #: Whether it answers documents as they are stored.
        self.as_stored = version is family.stored_as or self._says_what_is_stored()

    def writable(self, patch: Mapping[str, Any]) -> Wire:
        """What of a client's patch counts: unknown and read-only members are passed over."""
        return {name: value for name, value in patch.items() if name in self._writable}

    def checked(self, wire: Wire) -> Document:
        """The document of wire names, its times in whole seconds of UTC. Each member is of the JSON type that it is
        declared with, but for whole numbers, which may be text of digits: the public SDKs' samples send them so.

        Raises:
            BodyInvalidError: what is wrong, and in which member.
        """
        for name in self._whole_numbers:
            text = wire.get(name)
            if isinstance(text, str) and _WHOLE_NUMBER.fullmatch(text):
                wire = {**wire, name: int(text)}
        return self._tidied(convert_json(wire, self.struct))

    def decoded(self, text: bytes) -> Document:
        """`checked` of JSON text as it is, read-only members included. Where there is no null, it is what merging
        the text into nothing would give, in a third of the time.

        Raises:
            BodyInvalidError: as `checked`.
            msgspec.MsgspecError, UnicodeDecodeError, RecursionError: it is no such document, or no JSON, or may have
                a number that can't be kept.
        """
        if not has_plain_numbers(text):
            raise msgspec.ValidationError
        return self._tidied(self._decoder.decode(text))

    def _tidied(self, document: Document) -> Document:
        for attribute in self._links:
            setattr(document, attribute, None)
        for attribute in self._required:
            if not getattr(document, attribute):
                raise BodyInvalidError(self.names[attribute], "is required")
        for attribute in self._ids:
            ids = getattr(document, attribute) or []
            if len(ids) > len(set(ids)):
                raise BodyInvalidError(self.names[attribute], "has an item twice")
        for attribute in self._times:
            moment: datetime | None = getattr(document, attribute)
            if moment is not None:
                setattr(document, attribute, self._whole_second(attribute, moment))
        return document

    def _whole_second(self, attribute: str, moment: datetime) -> datetime:
        # Clients that leave out the zone mean UTC.
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        try:
            return aware.astimezone(UTC).replace(microsecond=0)
        except OverflowError:
            raise BodyInvalidError(self.names[attribute], "is beyond the years 1 to 9999") from None

    def read(self, stored: Stored) -> bytes:
        """What this version answers."""
        return self._answered(stored, self._apart)

    def listed(self, stored: Stored) -> bytes:
        """What this version's lists have of it."""
        return self._answered(stored, self._listed_apart)

    def _answered(self, stored: Stored, apart: frozenset[str]) -> bytes:
        if stored.apart is None or not apart:
            return stored.document if self.as_stored else _encode(self.opened(stored))
        if self.as_stored and apart == self._every_apart:
            return b"%b,%b" % (stored.document[:-1], stored.apart[1:])
        beside = {name: value for name, value in _decode(stored.apart).items() if name in apart}
        return _encode(self.opened(stored) | beside)

    def opened(self, stored: Stored) -> Wire:
        """A document of wire names, without what is kept apart."""
        return self.said(self._own.by_attribute(stored))

    def stored(self, document: Document, before: Stored | None, stamps: Mapping[str, Any]) -> Stored:
        """What a row keeps of a checked document: its own members, and those of other versions as they were,
        but for `stamps`, by attribute; None for what is not there any more. What is kept apart is not among them.
        """
        own, mirrors = self._own, self.family.mirrors
        if self is own and before is None and not mirrors:
            rest = {a: value for a, value in stamps.items() if a not in own.names and value is not None}
            return Stored(_encode(document), _encode(rest) if rest else None)
        if (
            self is own
            and not mirrors
            and stamps.keys() <= own.names.keys()
            and (not self._words or before is None or before.rest is None)
        ):
            return Stored(_encode(document), before.rest if before else None)
        by_attribute = own.by_attribute(before) if before else {}
        known = dict(by_attribute) if mirrors else {}
        for name in self.said(by_attribute):
            del by_attribute[self._attributes[name]]
        wire = msgspec.to_builtins(document)
        for attribute, name in self.names.items():
            if name in wire:
                by_attribute[attribute] = self._usual(attribute, wire[name])
        for mirror in mirrors:
            mirror.follow(self.names, by_attribute, known)
        by_attribute |= msgspec.to_builtins(stamps)
        by_attribute = {attribute: value for attribute, value in by_attribute.items() if value is not None}
        main = own.said(by_attribute)
        rest = {a: value for a, value in by_attribute.items() if own.names.get(a) not in main}
        return Stored(_encode(main), _encode(rest) if rest else None)

    def by_attribute(self, stored: Stored) -> Wire:
        """All members of what is stored, by attribute. Asked of the shape that documents are stored in."""
        found: Wire = _decode(stored.rest) if stored.rest else {}
        document = _decode(stored.document)
        own = {a: self._usual(a, document[name]) for a, name in self.names.items() if name in document}
        return found | own

    def spelled(self, attribute: str, usual: Any) -> Any:
        """What this version says for a word in its usual spelling; None where it can't say it."""
        words = self._words.get(attribute)
        return usual if words is None else words.said(self.version, usual)

    def said(self, by_attribute: Wire) -> Wire:
        """What this version can say of members, under its names."""
        if not self._words:
            return {name: by_attribute[a] for a, name in self.names.items() if a in by_attribute}
        found: Wire = {}
        for attribute, name in self.names.items():
            if attribute in by_attribute:
                said = self.spelled(attribute, by_attribute[attribute])
                if said is not None:
                    found[name] = said
        return found

    def words(self, column: Column) -> OneOf | None:
        """The only words that a column's member may say."""
        return self._words.get(column.path[0]) if len(column.path) == 1 else None

    def _usual(self, attribute: str, value: Any) -> Any:
        """A member's value as it is stored."""
        words = self._words.get(attribute)
        return value if words is None else words.read(self.version, value)

    def _says_what_is_stored(self) -> bool:
        own = self._own
        return self.names == own.names and all(
            words.versions >= {self.version, own.version}
            and words.in_version(self.version) == words.in_version(own.version)
            for words in self._words.values()
        )

    @property
    def _own(self) -> "Shape":
        return shape_of(self.family, self.family.stored_as)


def whole(family: Family, stored: Stored) -> Document:
    """A stored document with the members of all versions."""
    by_attribute = shape_of(family, family.stored_as).by_attribute(stored)
    names = _usual_names(family)
    return msgspec.convert({names[a]: value for a, value in by_attribute.items()}, family.document)


def struct_of(name: str, declared: type[Struct], version: Version) -> type[Struct]:
    """The Struct of one version of what is declared as documents are, and is none."""
    return _struct(name, declared, tuple(m for m in members_of(declared) if version in m.versions), version)


def _is_whole_number(member: Member) -> bool:
    kind: Any = msgspec.inspect.type_info(member.type)
    kinds = [getattr(each, "type", each) for each in getattr(kind, "types", (kind,))]
    return any(isinstance(each, msgspec.inspect.IntType) for each in kinds)


@cache
def _usual_names(family: Family) -> Mapping[str, str]:
    """Wire names of a family's members, by attribute."""
    return {member.attribute: member.name for member in members_of(family.document)}


@cache
def shape_of(family: Family, version: Version) -> Shape:
    """The shape of a family in a version that has it."""
    return Shape(family, version)


def _struct(name: str, document: type[Struct], members: tuple[Member, ...], version: Version) -> type[Any]:
    """The Struct of one version, with the attributes of the one that was declared, which is its `declared`."""
    return msgspec.defstruct(
        name,
        [(m.attribute, m.type_in(version), m.default) for m in members],
        bases=(Struct,),
        namespace={"__doc__": document.__doc__, "declared": document},
        module=document.__module__,
        rename={m.attribute: m.name_in(version) for m in members},
        kw_only=True,
        omit_defaults=True,
    )
