"""What becomes of a document that is written: rules that need no database."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from headland.farm.catalogue import Family
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.shape import Shape, Stored, whole
from headland.farm.documents.facts import facts
from headland.farm.documents.merging import merged
from headland.farm.documents.parents import parents_of
from headland.farm.documents.places import Place, place_of
from headland.farm.documents.rows import Key, Made, Row
from headland.farm.documents.stamps import Stamp, new_etag
from headland.farm.geometry import Geometry, Placed
from headland.http.validation import BodyInvalidError


class Moved(NamedTuple):
    """What becomes of a document by its geometry."""

    #: Members beside it, by attribute; None for what is not there any more.
    members: Mapping[str, Any]
    #: What is kept apart of the document.
    apart: bytes | None
    #: Where it is, if that is to be written.
    place: Place | None


class Patch(NamedTuple):
    """What a client wants of a document, so far as that can be judged without the document."""

    #: By wire names: what it may write, but for the geometry.
    members: Mapping[str, Any]
    #: None where it says nothing of the geometry.
    moved: Moved | None = None


_encode = msgspec.json.Encoder().encode


def patch_of(shape: Shape, body: Mapping[str, Any], place: Placed | None = None) -> Patch:
    """A client's patch. A geometry in it, which is checked, replaces the one that was there whole."""
    members = shape.writable(body)
    if not shape.has_geometry or GEOMETRY not in body:
        return Patch(members)
    return Patch(members, moved_to(shape.family, place))


def made(shape: Shape, key: Key, patch: Patch, before: Row | None, stamp: Stamp) -> Made:
    """What comes of the document that was there, or of none, and a patch.

    Raises:
        BodyInvalidError: no document of the family does.
    """
    try:
        wire = merged(shape.opened(before.stored) if before else {}, patch.members)
    except RecursionError:
        raise BodyInvalidError("", "the body is nested too deeply") from None
    return stamped(shape, key, shape.checked(wire), before, stamp, moved=patch.moved)


def stamped(
    shape: Shape, key: Key, document: Any, before: Row | None, stamp: Stamp, *, moved: Moved | None = None
) -> Made:
    """A checked document, with what the service writes into it by itself. `moved` has what becomes of it by its
    geometry, where that is another one than before.
    """
    place(shape, key, document)
    document.e_tag = new_etag(stamp.at, before.etag if before else None)
    if shape.family.has_file and not document.original_file_name:
        document.original_file_name = key.id
    document.modified_date_time = stamp.moment
    if document.created_date_time is None:
        document.created_date_time = stamp.moment
    if moved is None:
        moved = Moved({}, before.apart if before else None, None)
    stamps: dict[str, Any] = {"modified_by": stamp.by, **moved.members}
    if before is None:
        stamps["created_by"] = stamp.by
    for attribute, value in stamps.items():
        if attribute in shape.names:
            setattr(document, attribute, value)
    text, rest, _ = shape.stored(document, before.stored if before else None, stamps)
    beside = moved.members if before is None else None
    return complete(shape, document, Stored(text, rest, moved.apart), moved.place, beside)


def place(shape: Shape, key: Key, document: Any) -> None:
    """Have a document say under which key it is."""
    document.id = key.id
    for attribute, text in parents_of(shape.family, key).items():
        setattr(document, attribute, shape.spelled(attribute, text))


def complete(
    shape: Shape,
    document: Any,
    stored: Stored,
    place: Place | None = None,
    beside: Mapping[str, Any] | None = None,
) -> Made:
    """A stored document, with what is kept beside it. `document` is the same in the version that wrote it; `place`
    has where it is, if it is to be written; `beside` has all members, by attribute, that other versions have of it,
    if that is known.
    """
    family = shape.family
    row = Row(document.e_tag, stored.document, stored.rest, stored.apart)
    if shape.version is family.stored_as and (stored.rest is None or beside is not None):
        known = facts(family, document, beside or {})
    else:
        # Where other versions' members may be kept beside this one's, those are facts, too.
        known = facts(family, whole(family, stored))
    return Made(row, known, place)


def moved_to(family: Family, placed: Placed | None) -> Moved:
    """What becomes of a document of the family that has this geometry, or none any more."""
    members = dict(family.measure(placed)) if family.measure else {}
    apart = {name: members.pop(attribute, None) for attribute, name in family.apart.items()}
    if placed is None:
        return Moved(members, None, place_of(None))
    apart[GEOMETRY] = placed.geometry
    if None in apart.values():
        apart = {name: value for name, value in apart.items() if value is not None}
    return Moved(members, _encode(apart), place_of(placed))


def taken_apart(shape: Shape, document: Any) -> Geometry | None:
    """The geometry of a checked document, which does not have it any more. It has yet to be checked."""
    if not shape.has_geometry:
        return None
    geometry: Geometry | None = document.geometry
    for attribute in shape.apart_attributes:
        setattr(document, attribute, None)
    return geometry
