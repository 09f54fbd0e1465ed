"""How a family's documents name those of others."""

from collections.abc import Mapping
from dataclasses import dataclass


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
    """A member that has the id of a document of another family, of the same party if that is a party's; or a list
    of such ids, which only lead to documents of no party.

    What it leads to is there when it is written, however that is, and is not deleted while it is referred to. Ids that
    are no references, such as `associatedBoundaryId`, may lead nowhere.
    """

    attribute: str
    #: `Family.name` of the other one, if it is always the same.
    to: str | ByType
    #: Whether it must be said.
    required: bool = False
    #: Whether it is a list.
    several: bool = False

    @property
    def families(self) -> Mapping[str, str | None]:
        """`Family.name` of each one that it may lead to, and what the other member then says."""
        if isinstance(self.to, ByType):
            return {family: word for word, family in self.to.families.items()}
        return {self.to: None}
