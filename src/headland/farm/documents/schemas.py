"""What documents demand of those below them, as JSON Schema (draft 2020-12, unless `$schema` names another).

Words of a schema that are none of JSON Schema's demand nothing. Nothing is fetched that a schema refers to elsewhere,
and its patterns take no more time than they are long. A schema that changes leaves documents as they are that were
written before.
"""

from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec
from sqlalchemy import Connection

from headland.farm.catalogue.shape import Shape, Stored, shape_of
from headland.farm.documents import rows
from headland.farm.documents.rows import NO_PARTY, Key
from headland.http.validation import BodyInvalidError

#: Schemas that are kept ready.
_MOST_READY = 64


def check_schemas(connection: Connection, shape: Shape, key: Key, stored: Stored) -> None:
    """Whether a document's schema, if it has one, is one, and it is what the one above demands.

    Raises:
        BodyInvalidError: what is wrong, and in which member.
    """
    family = shape.family
    if family.schema is not None:
        _check(shape.names[family.schema], _schema_of(shape, stored))
    if family.held_to is not None:
        attribute, above = family.held_to
        member = shape.opened(stored).get(shape.names[attribute])
        row = rows.find(connection, above, Key(NO_PARTY, key.within))
        if member is not None and row is not None:
            own = shape_of(above, above.stored_as)
            _check_held(shape.names[attribute], member, _schema_of(own, row.stored))


def _schema_of(shape: Shape, stored: Stored) -> bytes:
    """The schema that a document has; `{}` where it has none."""
    return msgspec.json.encode(shape.opened(stored).get(shape.names[str(shape.family.schema)]) or {})


def _check(name: str, schema: bytes) -> None:
    try:
        _ready(schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        where = _path(name, getattr(error, "instance_path", ()))
        reason = getattr(error, "message", str(error))
        raise BodyInvalidError(where, f"is no JSON Schema: {reason}") from None


def _check_held(name: str, member: Any, schema: bytes) -> None:
    error = next(iter(_ready(schema).iter_errors(member)), None)
    if error is not None:
        where = _path(name, error.instance_path)
        raise BodyInvalidError(where, f"is not what the dataset's schema demands: {error.message}")


@lru_cache(_MOST_READY)
def _ready(schema: bytes) -> Any:
    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema), retriever=_refused, pattern_options=jsonschema_rs.RegexOptions()
    )


def _refused(uri: str) -> Any:
    raise ValueError(f"'{uri}' is elsewhere, and is not fetched")


def _path(name: str, steps: Any) -> str:
    """As in `record.codes[0]`."""
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
