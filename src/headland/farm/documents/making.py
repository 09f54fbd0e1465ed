"""What becomes of a document that is written: rules that need no database."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headland.farm.catalogue.shape import Shape, Stored, whole
from headland.farm.documents.facts import facts
from headland.farm.documents.merging import merged
from headland.farm.documents.parents import parents_of
from headland.farm.documents.rows import Key, Row
from headland.farm.documents.stamps import Stamp, new_etag
from headland.http.validation import BodyInvalidError


class Made(NamedTuple):
    """A document, ready to be stored."""

    row: Row
    #: What is kept beside it.
    facts: Mapping[str, Any]


def made(shape: Shape, key: Key, patch: Mapping[str, Any], before: Row | None, stamp: Stamp) -> Made:
    """What comes of the document that was there, or of none, and a patch.

    Raises:
        BodyInvalidError: no document of the family does.
    """
    try:
        wire = merged(shape.opened(before.stored) if before else {}, shape.writable(patch))
    except RecursionError:
        raise BodyInvalidError("", "the body is nested too deeply") from None
    return stamped(shape, key, shape.checked(wire), before, stamp)


def stamped(shape: Shape, key: Key, document: Any, before: Row | None, stamp: Stamp) -> Made:
    """A checked document, with what the service writes into it by itself."""
    place(shape, key, document)
    document.e_tag = new_etag(stamp.at, before.etag if before else None)
    document.modified_date_time = stamp.moment
    if document.created_date_time is None:
        document.created_date_time = stamp.moment
    stamps = {"modified_by": stamp.by} if before else {"created_by": stamp.by, "modified_by": stamp.by}
    for attribute in stamps.keys() & shape.names.keys():
        setattr(document, attribute, stamp.by)
    return complete(shape, document, shape.stored(document, before.stored if before else None, stamps))


def place(shape: Shape, key: Key, document: Any) -> None:
    """Have a document say under which key it is."""
    document.id = key.id
    for attribute, text in parents_of(shape.family, key).items():
        setattr(document, attribute, shape.spelled(attribute, text))


def complete(shape: Shape, document: Any, stored: Stored) -> Made:
    """A stored document, with what is kept beside it. `document` is the same in the version that wrote it."""
    family = shape.family
    # Where other versions' members may be kept beside this one's, those are facts, too.
    alone = stored.rest is None and shape.version is family.stored_as
    row = Row(document.e_tag, stored.document, stored.rest)
    return Made(row, facts(family, document if alone else whole(family, stored)))
