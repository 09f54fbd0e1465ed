"""A family of resources, declared once: routes, storage, filters, checks and rights come from the declaration."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headland.farm.catalogue.filters import COMMON, Column, Filter
from headland.farm.catalogue.links import Link
from headland.farm.catalogue.members import Document, PartyDocument, members_of
from headland.farm.catalogue.mirrors import Mirror
from headland.farm.catalogue.nesting import Nesting
from headland.farm.catalogue.parents import PARTY, Parent
from headland.farm.catalogue.references import ByType, OnlyOne, Reference
from headland.farm.catalogue.searching import Search
from headland.farm.catalogue.words import Spelling
from headland.farm.geometry import Placed
from headland.farm.versions import ALL, Version, Versions

__all__ = ["FILE_NAME", "GEOMETRY", "Family", "Link", "Reference", "Spelling"]

#: The member that says where a document is, in every family that has one.
GEOMETRY = "geometry"

#: The attribute that says what a document's file was called, in every family whose documents have one.
FILE_NAME = "original_file_name"


@dataclass(frozen=True, eq=False)
class Family:
    """A family of resources."""

    #: Of its table; and of its actions, in camel case.
    name: str
    #: What one of it is called in messages.
    kind: Spelling
    #: The segment of its paths.
    segment: Spelling
    #: The parameter of its paths.
    parameter: Spelling
    document: type[Document]
    versions: Versions = ALL
    #: Filters of its lists beside those that all have.
    own_filters: tuple[Filter, ...] = ()
    references: tuple[Reference, ...] = ()
    #: Addresses in its documents.
    links: tuple[Link, ...] = ()
    #: Steps of its paths after the party, if it is a party's.
    below: tuple[Parent, ...] = ()
    #: Whether there is a list of all its documents, wherever they lie; one below their parents there always is.
    listed_whole: bool = True
    #: What some version has its documents below, beside its parents.
    nesting: Nesting | None = None
    #: Whether its operations, and the filters of its lists, are those that documents of most families have.
    served: bool = True
    #: Whether jobs delete its documents with all that is linked to them.
    cascades: bool = False
    searches: tuple[Search, ...] = ()
    #: What at most one of its documents may say.
    only_one: OnlyOne | None = None
    #: What one of it is called in lists, where those leave members out.
    listed_as: Spelling | None = None
    #: What its documents have of their geometry, by attribute; of none, None for each.
    measure: Callable[[Placed | None], Mapping[str, Any]] | None = None
    mirrors: tuple[Mirror, ...] = ()
    #: The attribute of the JSON Schema that its documents have for those below them.
    schema: str | None = None
    #: The attribute that is held to the schema of the document above, and that one's family.
    held_to: "tuple[str, Family] | None" = None
    #: Whether a document has a file: it is written as a form then, and not as a merge patch.
    has_file: bool = False

    @cached_property
    def of_party(self) -> bool:
        """Whether its documents belong to a party, and their ids are the party's own."""
        return issubclass(self.document, PartyDocument)

    @cached_property
    def parents(self) -> tuple[Parent, ...]:
        """Steps of its paths before its own."""
        return (PARTY, *self.below) if self.of_party else self.below

    @cached_property
    def located(self) -> bool:
        """Whether its documents have a member `geometry` in some version, and are found by it."""
        return GEOMETRY in self.apart

    @cached_property
    def apart(self) -> Mapping[str, str]:
        """What is kept apart from its documents: wire names by attribute."""
        return {member.attribute: member.name for member in members_of(self.document) if member.apart}

    @property
    def listed_kind(self) -> Spelling:
        """What one of it is called in lists."""
        return self.listed_as or self.kind

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """All filters of its lists."""
        nesting = (self.nesting.filter,) if self.nesting else ()
        common = COMMON if self.served else ()
        return (*common, *self.own_filters, *nesting)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What its table keeps beside each document, once each."""
        found = {each.column.name: each.column for each in self.filters}
        for reference in self.references:
            if isinstance(reference.to, ByType):
                word = reference.to.attribute
                found.setdefault(word, Column(word, (word,), str))
            kind = list[str] if reference.several else str
            column = Column(reference.attribute, (reference.attribute,), kind, indexed=True)
            found[column.name] = column
        return tuple(found.values())

    @cached_property
    def stored_as(self) -> Version:
        """The version in whose form documents are kept, so that its reads copy bytes."""
        return Version.C if Version.C in self.versions else min(self.versions)

    def action(self, verb: str, *above: str) -> str:
        """The data action that one of its operations needs; `above` stands before the family."""
        first, *words = self.name.split("_")
        own = f"{first}{''.join(map(str.title, words))}"
        return "/".join(("Microsoft.AgFoodPlatform/farmBeats", *above, own, verb))
