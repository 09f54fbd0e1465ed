"""What documents lie below: the segments of a path before a family's own, each with an id after it."""

from dataclasses import dataclass

from headland.farm.catalogue.references import ByType
from headland.farm.catalogue.words import OneOf, Spelling


@dataclass(frozen=True, eq=False)
class Parent:
    """One step of the way to a family's documents."""

    segment: Spelling
    parameter: Spelling
    #: The documents' member that repeats the id.
    attribute: str
    #: `Family.name` of the documents that the ids are of; None where they are just names.
    family: str | ByType | None = None
    #: Where not ids follow, but certain words.
    words: OneOf | None = None


#: Documents of this parent have the column of parties; all others go into `within`.
PARTY = Parent(
    Spelling("parties", {"AB": "farmers"}),
    Spelling("partyId", {"AB": "farmerId"}),
    "party_id",
    "parties",
)
