"""What documents demand of those below them, as JSON Schema (draft 2020-12, unless `$schema` names another).

Words of a schema that are none of JSON Schema's demand nothing. Nothing is fetched that a schema refers to elsewhere,
and its patterns take no more time than they are long. A schema that changes leaves documents as they are that were
written before.
"""

import threading
from typing import Any

import msgspec
from sqlalchemy import Connection

from headland.farm.catalogue.shape import Shape, Stored, shape_of
from headland.farm.documents import rows
from headland.farm.documents.json_schemas import Problem, is_light
from headland.farm.documents.rows import NO_PARTY, Key
from headland.farm.errors import GeometryTooComplexError
from headland.farm.isolation.tasks import HoldToSchema, LookAtSchema
from headland.farm.isolation.workers import Worker
from headland.http.validation import BodyInvalidError

#: Writers take turns at it: each is in a transaction, and waits.
_worker, _asking = Worker(), threading.Lock()

#: Schemas that took too long.
_exhausting: dict[bytes, None] = {}
_MOST_EXHAUSTING = 64

_TOO_MUCH = (
    "takes more memory or time to be held to its JSON Schema than a request may: unfold its references less"
)


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
    task = LookAtSchema(name, schema)
    _raise(task.answer() if is_light(schema) else _asked(name, schema, task))


def _check_held(name: str, member: Any, schema: bytes) -> None:
    task = HoldToSchema(name, msgspec.json.encode(member), schema)
    _raise(task.answer() if is_light(schema) else _asked(name, schema, task))


def _raise(problem: Problem | None) -> None:
    if problem is not None:
        raise BodyInvalidError(*problem)


def _asked(name: str, schema: bytes, task: LookAtSchema | HoldToSchema) -> Problem | None:
    """What a worker says; nothing is asked of it twice that took too long once."""
    with _asking:
        if schema in _exhausting:
            raise BodyInvalidError(name, _TOO_MUCH)
        try:
            problem: Problem | None = _worker.ask(task, name)
        except GeometryTooComplexError:
            _exhausting[schema] = None
            if len(_exhausting) > _MOST_EXHAUSTING:
                _exhausting.pop(next(iter(_exhausting)))
            raise BodyInvalidError(name, _TOO_MUCH) from None
        return problem
