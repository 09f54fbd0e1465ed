"""What documents demand of those below them, as JSON Schema (draft 2020-12, unless `$schema` names another).

Words of a schema that are none of JSON Schema's demand nothing. Nothing is fetched that a schema refers to elsewhere,
and its patterns take no more time than they are long. A schema that changes leaves documents as they are that were
written before.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection

from headland.farm.catalogue.shape import Shape, Stored, shape_of
from headland.farm.documents import rows
from headland.farm.documents.json_schemas import Problem, is_light
from headland.farm.documents.rows import NO_PARTY, Key
from headland.farm.errors import GeometryTooComplexError, WorkersBusyError
from headland.farm.isolation.tasks import HoldToSchema, LookAtSchema
from headland.http.validation import BodyInvalidError

T = TypeVar("T")

#: A look that takes long. A worker does it before the transaction in which it counts.
Look = LookAtSchema | HoldToSchema

#: Has a worker do it, whose turn comes; the field is the cause if it takes too long.
Ask = Callable[[Look, str], Awaitable[Problem | None]]

#: What workers have said, by what was looked at; more than a chunk of lines has.
_judged: OrderedDict[bytes, Problem | None] = OrderedDict()
_MOST_JUDGED = 4_096

#: How often a schema may become another one while it is looked at.
_MOST_ATTEMPTS = 8

#: Schemas that took too long.
_exhausting: dict[bytes, None] = {}
_MOST_EXHAUSTING = 64

_TOO_MUCH = (
    "takes more memory or time to be held to its JSON Schema than a request may: unfold its references less"
)


class UnjudgedError(Exception):
    """A transaction needs looks that nobody has had yet. It would hold up the instance's other writes meanwhile."""

    def __init__(self, looks: Sequence[Look]) -> None:
        super().__init__()
        self.looks = looks


async def judged(write: Callable[[], Awaitable[T]], ask: Ask) -> T:
    """What `write` gives, begun anew whenever a worker has had the looks that its transaction needs: they count for
    what is still written then.

    Raises:
        WorkersBusyError: schemas become others all the time.
    """
    for _ in range(_MOST_ATTEMPTS):
        try:
            return await write()
        except UnjudgedError as error:
            for look in error.looks:
                _keep(look, await _asked(look, ask))
    raise WorkersBusyError


def check_schemas(connection: Connection, shape: Shape, key: Key, stored: Stored) -> None:
    """Whether a document's schema, if it has one, is one, and it is what the one above demands.

    Raises:
        BodyInvalidError: what is wrong, and in which member.
        UnjudgedError: that takes long to tell.
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
    _raise(LookAtSchema(name, schema))


def _check_held(name: str, member: Any, schema: bytes) -> None:
    _raise(HoldToSchema(name, msgspec.json.encode(member), schema))


def _raise(look: Look) -> None:
    if is_light(look.schema):
        problem = look.answer()
    else:
        try:
            problem = _judged[_digest(look)]
        except KeyError:
            raise UnjudgedError([look]) from None
    if problem is not None:
        raise BodyInvalidError(*problem)


def _keep(look: Look, problem: Problem | None) -> None:
    _judged[_digest(look)] = problem
    if len(_judged) > _MOST_JUDGED:
        _judged.popitem(last=False)


def _digest(look: Look) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(look)).digest()


async def _asked(look: Look, ask: Ask) -> Problem | None:
    """What a worker says; nothing is asked of it twice that took too long once."""
    if look.schema in _exhausting:
        return look.name, _TOO_MUCH
    try:
        return await ask(look, look.name)
    except GeometryTooComplexError:
        _exhausting[look.schema] = None
        if len(_exhausting) > _MOST_EXHAUSTING:
            _exhausting.pop(next(iter(_exhausting)))
        return look.name, _TOO_MUCH
