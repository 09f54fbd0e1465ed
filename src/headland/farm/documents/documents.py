"""The rules of reading and writing documents."""

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from headland.farm.catalogue import PARTIES
from headland.farm.catalogue.shape import Shape, whole
from headland.farm.documents import rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.facts import facts
from headland.farm.documents.merging import merged
from headland.farm.documents.rows import Key, Row
from headland.farm.documents.stamps import Stamp, new_etag
from headland.farm.errors import InvalidInputError, ResourceInUseError, ResourceNotFoundError
from headland.http.validation import BodyInvalidError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_~.\-]{0,48}[A-Za-z0-9]")

#: Segments of paths in the place of ids.
_RESERVED = frozenset({"cascade-delete"})


@dataclass(frozen=True, slots=True)
class Written:
    """What has become of a document."""

    created: bool
    etag: str
    #: As the version that wrote it answers it.
    document: bytes


def check_id(parameter: str, text: str) -> None:
    """Raises InvalidInputError unless a document may be made under this id."""
    if _ID.fullmatch(text) is None or text in _RESERVED:
        raise InvalidInputError(
            f"'{text[:80]}' is no id: ids have 2 to 50 letters, digits, '-', '_', '~' and '.', begin and end with "
            f"a letter or digit, and are none of {', '.join(sorted(_RESERVED))}.",
            parameter,
        )


def write(
    connection: Connection,
    shape: Shape,
    key: Key,
    patch: dict[str, Any],
    *,
    stamp: Stamp,
    conditions: Conditions,
) -> Written:
    """Create the document, or merge the patch into it.

    Raises:
        PreconditionError: it is not in the state that the caller supposed.
        ResourceNotFoundError: its party does not exist.
        BodyInvalidError: what would come of it is no document of the family.
    """
    family, version = shape.family, shape.version
    before = rows.find(connection, family, key)
    conditions.check(before.etag if before else None)
    if (
        before is None
        and family.of_party
        and not rows.exists(connection, PARTIES, Key(rows.NO_PARTY, key.party))
    ):
        raise ResourceNotFoundError(PARTIES.kind.of(version), key.party)
    try:
        wire = merged(shape.opened(before.stored) if before else {}, shape.writable(patch))
    except RecursionError:
        raise BodyInvalidError("", "the body is nested too deeply") from None
    document: Any = shape.checked(wire)
    document.id = key.id
    document.e_tag = new_etag(stamp.at, before.etag if before else None)
    if family.of_party:
        document.party_id = key.party
    document.modified_date_time = stamp.moment
    if document.created_date_time is None:
        document.created_date_time = stamp.moment
    stamps = {"modified_by": stamp.by} if before else {"created_by": stamp.by, "modified_by": stamp.by}
    for attribute in stamps.keys() & shape.names.keys():
        setattr(document, attribute, stamp.by)
    stored = shape.stored(document, before.stored if before else None, stamps)
    row = Row(document.e_tag, stored.document, stored.rest)
    change = rows.update if before else rows.insert
    # Where other versions' members may be kept beside this one's, those are facts, too.
    complete = document if stored.rest is None and version is family.stored_as else whole(family, stored)
    change(connection, family, key, row, facts(family, complete))
    return Written(before is None, row.etag, shape.read(stored))


def delete(connection: Connection, shape: Shape, key: Key, conditions: Conditions) -> None:
    """Remove the document; one that is not there needs none.

    Raises:
        PreconditionError: it is not in the state that the caller supposed.
        ResourceInUseError: others refer to it.
    """
    family, version = shape.family, shape.version
    before = rows.find(connection, family, key)
    conditions.check(before.etag if before else None)
    if before is None:
        return
    user = rows.user_of(connection, family, key)
    if user is not None:
        raise ResourceInUseError(family.kind.of(version), key.id, user.family.kind.of(version), user.id)
    rows.delete(connection, family, key)
