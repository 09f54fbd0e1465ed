"""What a document lies below: as its key has it, as its members repeat it, and whether it is there."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from headland.farm.catalogue import BY_NAME, Family
from headland.farm.catalogue.parents import PARTY, Parent
from headland.farm.catalogue.references import ByType
from headland.farm.documents.rows import NO_PARTY, Key
from headland.farm.errors import InvalidInputError
from headland.farm.versions import Version


class Above(NamedTuple):
    """A document that another one lies below."""

    family: Family
    #: As in its key; None where it can't be.
    party: str | None
    id: str


def key_below(family: Family, ids: Sequence[str], document_id: str) -> Key:
    """The key of a document below parents with these ids, in the order of `Family.parents`."""
    party, *others = ids if family.of_party else (NO_PARTY, *ids)
    return Key(party, document_id, "/".join(others))


def parent_id(parent: Parent, version: Version, text: str) -> str:
    """What a key has for what a request says of a parent.

    Raises:
        InvalidInputError: it is none of the words that may stand there.
    """
    if parent.words is None:
        return text
    word = parent.words.read(version, text)
    if word is None:
        known = ", ".join(parent.words.in_version(version))
        raise InvalidInputError(f"'{text[:80]}' is none of {known}.", parent.parameter.of(version))
    return word


def parents_of(family: Family, key: Key) -> Mapping[str, str]:
    """Ids of a document's parents by the members that repeat them."""
    parts = key.within.split("/") if family.below else []
    ids = [key.party, *parts] if family.of_party else parts
    return {parent.attribute: text for parent, text in zip(family.parents, ids, strict=True)}


def above(family: Family, key: Key) -> Sequence[Above]:
    """What a document lies below, in the order of `Family.parents`, but for what are just names."""
    ids = parents_of(family, key)
    found = []
    for parent in family.parents:
        name, text = _family_named(parent, ids), ids[parent.attribute]
        if name is not None:
            other = BY_NAME[name]
            # Below a party, the only party is that one.
            elsewhere = name == PARTY.family and text != key.party
            party = key.party if other.of_party else NO_PARTY
            found.append(Above(other, None if elsewhere else party, text))
    return found


def _family_named(parent: Parent, ids: Mapping[str, str]) -> str | None:
    if isinstance(parent.family, ByType):
        return parent.family.families[ids[parent.family.attribute]]
    return parent.family
