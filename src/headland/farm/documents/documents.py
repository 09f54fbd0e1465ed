"""The rules of reading and writing documents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta
from sqlalchemy import Connection

from headland.farm.catalogue.shape import Shape, Stored
from headland.farm.documents import rows
from headland.farm.documents.admission import admit
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.making import Patch, made
from headland.farm.documents.references import check_referred, check_unused
from headland.farm.documents.rows import Key
from headland.farm.documents.schemas import check_schemas
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.standing import standing
from headland.farm.documents.uniqueness import check_only_one
from headland.farm.errors import InvalidInputError

_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_~.\-]{0,48}[A-Za-z0-9]"
_ID = re.compile(_PATTERN)

#: For descriptions of the API.
Id = Annotated[str, Meta(pattern=f"^{_PATTERN}$")]

#: Segments of paths in the place of ids.
_RESERVED = frozenset({"cascade-delete"})


@dataclass(frozen=True, slots=True)
class Written:
    """What has become of a document."""

    created: bool
    etag: str
    stored: Stored


def check_id(parameter: str, text: str) -> None:
    """Raises InvalidInputError unless a document may be made under this id."""
    if _ID.fullmatch(text) is None or text in _RESERVED:
        raise InvalidInputError(
            f"'{text[:80]}' is no id: ids have 2 to 50 letters, digits, '-', '_', '~' and '.', begin and end with "
            f"a letter or digit, and are none of {', '.join(sorted(_RESERVED))}.",
            parameter,
        )


def check_ids(named: Mapping[str, str]) -> None:
    """Raises InvalidInputError unless each of these parameters is such an id."""
    for parameter, text in named.items():
        check_id(parameter, text)


def write(
    connection: Connection,
    shape: Shape,
    key: Key,
    patch: Patch,
    *,
    stamp: Stamp,
    conditions: Conditions,
) -> Written:
    """Create the document, or merge the patch into it.

    Raises:
        PreconditionError: it is not in the state that the caller supposed.
        ResourceNotFoundError: a document that it lies below, or refers to, does not exist.
        ResourceConflictError: it would say what another one says already, and only one may.
        ResourceGoingError: a job is about to delete it, or what it would be linked to.
        BodyInvalidError: what would come of it is no document of the family, or not what the one above demands.
    """
    family, version = shape.family, shape.version
    found = standing(connection, family, key)
    before = found.row
    conditions.check(found.etag)
    found.check_parents(version)
    written = made(shape, key, patch, before, stamp)
    row = written.row
    check_referred(connection, shape, key, written.facts)
    check_only_one(connection, shape, key, written.facts)
    check_schemas(connection, shape, key, row.stored)
    if found.cascade is not None:
        admit(connection, shape, key, written.facts, found.cascade)
    change = rows.update if before else rows.insert
    change(connection, family, key, written)
    return Written(before is None, row.etag, row.stored)


def delete(connection: Connection, shape: Shape, key: Key, conditions: Conditions) -> None:
    """Remove the document; one that is not there needs none.

    Raises:
        PreconditionError: it is not in the state that the caller supposed.
        ResourceInUseError: others refer to it.
    """
    family = shape.family
    before = rows.find(connection, family, key)
    conditions.check(before.etag if before else None)
    if before is None:
        return
    check_unused(connection, shape, key)
    rows.delete(connection, family, key)
