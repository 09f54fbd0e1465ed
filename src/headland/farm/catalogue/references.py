"""How a family's documents name those of others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ByType:
    """The other family is the one that a further member names."""

    attribute: str
    #: `Family.name` by what the member says.
    families: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OnlyOne:
    """Of a party's documents with the same values of some members, at most one may say that it is something."""

    #: Attribute of the truth value.
    says: str
    #: Attributes that tell what it is that of; documents without one of them may all say it.
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A member that has the id of a document of another family, of the same party if that is a party's.

    Most ids are not checked when they are written: documents come in any order. A document that is referred to is
    not deleted.
    """

    attribute: str
    #: `Family.name` of the other one, if it is always the same.
    to: str | ByType
    #: Whether it must be said, and the other document must be there when this one is written.
    must_exist: bool = False

    @property
    def families(self) -> Mapping[str, str | None]:
        """`Family.name` of each one that it may lead to, and what the other member then says."""
        if isinstance(self.to, ByType):
            return {family: word for word, family in self.to.families.items()}
        return {self.to: None}


def named_by(reference: Reference, known: Mapping[str, Any]) -> str | None:
    """`Family.name` of what a document refers to; None where it does not say, or what it says leads nowhere. `known`
    has the document's members by attribute.
    """
    if isinstance(reference.to, ByType):
        return reference.to.families.get(known[reference.to.attribute])
    return reference.to
