"""A line on its way into the store: what it asks for, under which key, or why it can't."""

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from headland.farm.bulk.wire import Refused
from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.shape import Shape, Wire, shape_of
from headland.farm.documents.documents import check_id
from headland.farm.documents.making import Moved
from headland.farm.documents.parents import key_below, parent_id
from headland.farm.documents.rows import Key, Made
from headland.farm.errors import FarmError, InvalidInputError, UnknownFamilyError
from headland.farm.geometry import Geometry
from headland.farm.versions import Version
from headland.http.validation import BodyInvalidError


class Mode(Enum):
    """What is done where there is a document already."""

    #: The line is merged into it.
    MERGE = "merge"
    #: The line is refused.
    CREATE = "create"
    #: It is replaced by the line's, which keeps its stamps.
    RESTORE = "restore"


class Prepared(NamedTuple):
    """A line that asks for something that can be done, as far as can be seen without the store."""

    line: int
    shape: Shape
    key: Key
    text: bytes
    #: Members that only other versions have, by attribute.
    rest: Wire
    #: What is stored where nothing was; None where only merging tells.
    made: Made | None
    #: What becomes of the document by the line's geometry, if it says anything of that.
    moved: Moved | None = None


class Decoded(NamedTuple):
    """A line's document, of which only the geometry is yet to be checked."""

    line: int
    shape: Shape
    key: Key
    text: bytes
    #: Members that only other versions have, by attribute.
    rest: Wire
    document: Any
    geometry: Geometry | None


def shape_called(segment: str, version: Version) -> Shape:
    """The family whose paths have a segment.

    Raises:
        UnknownFamilyError: the version has none such.
    """
    known = _by_segment(version)
    if segment not in known:
        raise UnknownFamilyError(segment, list(known))
    return known[segment]


def refused(line: int, shape: Shape | None, key: Key | None, error: FarmError | BodyInvalidError) -> Refused:
    """What is said of a line that can't be taken."""
    family = None if shape is None else shape.family.segment.of(shape.version)
    party, name = (key.party or None, key.id) if key else (None, None)
    if isinstance(error, FarmError):
        return Refused(line, error.code, error.message, error.target, family, party, name)
    return Refused(line, "InvalidInput", f"{error}.", error.field or None, family, party, name)


def _key_of(shape: Shape, own: object, above: Iterable[object]) -> Key:
    """Under which key a line's document wants to be that has an id of its `own`, and others of what it lies below."""
    ids = []
    for parent, text in zip(shape.family.parents, above, strict=True):
        name = shape.names[parent.attribute]
        if parent.words is None:
            ids.append(_id(name, text))
        else:
            ids.append(parent_id(parent, shape.version, _text(name, text)))
    return key_below(shape.family, ids, _id(shape.names["id"], own))


def key_at(shape: Shape, document: object) -> Key:
    """The same of a decoded document, which says it in its members."""
    own, *above = (getattr(document, attribute) for attribute in shape.placing)
    return _key_of(shape, own, above)


def key_in(shape: Shape, body: Mapping[str, Any]) -> Key:
    """The same of a document that was not looked at yet."""
    own, *above = (body.get(name, "") for name in shape.placing.values())
    return _key_of(shape, own, above)


def _id(name: str, text: object) -> str:
    found = _text(name, text)
    check_id(name, found)
    return found


def _text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise InvalidInputError("An id is text.", name)
    return text


@cache
def _by_segment(version: Version) -> Mapping[str, Shape]:
    return {f.segment.of(version): shape_of(f, version) for f in FAMILIES if version in f.versions}
