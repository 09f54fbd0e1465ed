"""A family of resources, declared once: routes, storage, filters, checks and rights come from the declaration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from headland.farm.catalogue.filters import COMMON, PROPERTIES, Column, Filter
from headland.farm.catalogue.members import Document, PartyDocument
from headland.farm.versions import ALL, Version, Versions, versions


@dataclass(frozen=True)
class Spelling:
    """A name, and what some versions have in its place."""

    usual: str
    others: Mapping[str, str] = field(default_factory=dict)

    def of(self, version: Version) -> str:
        """The name in one version."""
        return next(
            (text for letters, text in self.others.items() if version in versions(letters)), self.usual
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """A member that has the id of a document of another family, of the same party if that is a party's.

    Ids are not checked when they are written: documents come in any order. A document that is referred to is
    not deleted.
    """

    attribute: str
    #: `Family.name` of the other one.
    to: str


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

    @property
    def of_party(self) -> bool:
        """Whether its documents belong to a party, and their ids are the party's own."""
        return issubclass(self.document, PartyDocument)

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """All filters of its lists."""
        return (*COMMON, PROPERTIES, *self.own_filters)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What its table keeps beside each document, once each."""
        found = {each.column.name: each.column for each in self.filters}
        for reference in self.references:
            column = Column(reference.attribute, (reference.attribute,), str, indexed=True)
            found[column.name] = column
        return tuple(found.values())

    @cached_property
    def stored_as(self) -> Version:
        """The version in whose form documents are kept, so that its reads copy bytes."""
        return Version.C if Version.C in self.versions else min(self.versions)

    def action(self, verb: str) -> str:
        """The data action that one of its operations needs."""
        first, *words = self.name.split("_")
        return f"Microsoft.AgFoodPlatform/farmBeats/{first}{''.join(map(str.title, words))}/{verb}"
