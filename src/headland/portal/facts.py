"""What is said of a document beside its name: in words, with links to what it names."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headland.portal.directory import Directory
from headland.portal.farm_kinds import BOUNDARIES, FARMS, FIELDS, KINDS, Kind
from headland.portal.words import moment, spaced

#: Shown elsewhere on the page, or of no use to people.
_LEFT_OUT = frozenset(
    {
        "name",
        "description",
        "geometry",
        "bbox",
        "centroid",
        "properties",
        "eTag",
        "attachmentsLink",
        "parentType",
    }
    | {"resourceType"}
)
#: Of every document, and what is looked for last.
_OF_THE_RECORD = ("status", "id", "createdDateTime", "createdBy", "modifiedDateTime", "modifiedBy")
_WORDS = {"id": "ID", "crs": "CRS", "partyId": "Party"}
#: Members that name a document, of which kind.
_NAMED = {"farmId": FARMS, "fieldId": FIELDS, "associatedBoundaryId": BOUNDARIES}
#: Members that name one of the kind that another member says.
_NAMED_BY_TYPE = {"parentId": "parentType", "resourceId": "resourceType"}
_BY_TYPE = {kind.type: kind for kind in KINDS.values() if kind.type}


@dataclass(frozen=True, slots=True)
class Fact:
    """A member of a document."""

    title: str
    value: Any
    #: The page of what it names, or "".
    path: str = ""
    #: Whether somebody has thought of it, and not the protocol.
    own: bool = False


def facts_of(
    document: Mapping[str, Any], names: Directory, address: Callable[[Kind, str], str]
) -> Iterator[Fact]:
    """What it says, the record's own last; `address` is a page of the same party's."""
    last = [member for member in _OF_THE_RECORD if member in document]
    for member in (*(one for one in document if one not in {*last, *_LEFT_OUT}), *last):
        value = document[member]
        if member.endswith("DateTime"):
            yield Fact(f"{spaced(member.removesuffix('DateTime'))} (UTC)", moment(value))
        elif member.endswith("By"):
            yield Fact(spaced(member), names.name(value))
        else:
            yield Fact(_title(document, member), value, _path(document, member, address))
    for name, value in (document.get("properties") or {}).items():
        yield Fact(name, value, own=True)


def _title(document: Mapping[str, Any], member: str) -> str:
    if member in _NAMED_BY_TYPE:
        kind = _BY_TYPE.get(document.get(_NAMED_BY_TYPE[member], ""))
        return kind.one if kind else "Belongs to"
    return _WORDS.get(member) or spaced(member.removesuffix("Id"))


def _path(document: Mapping[str, Any], member: str, address: Callable[[Kind, str], str]) -> str:
    kind = _NAMED.get(member)
    if member in _NAMED_BY_TYPE:
        kind = _BY_TYPE.get(document.get(_NAMED_BY_TYPE[member], ""))
    return address(kind, str(document[member])) if kind else ""
