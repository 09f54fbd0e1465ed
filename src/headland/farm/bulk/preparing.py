"""What a line asks for, found out before any row is touched: that takes most of an import's time."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from headland.farm.bulk.lines import Line
from headland.farm.bulk.wire import Record, Refused, decode_record
from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.members import members_of
from headland.farm.catalogue.shape import Shape, Stored, Wire, shape_of, whole
from headland.farm.documents.documents import check_id
from headland.farm.documents.making import (
    Moved,
    complete,
    moved_to,
    patch_of,
    place,
    stamped,
    taken_apart,
)
from headland.farm.documents.parents import key_below, parent_id
from headland.farm.documents.rows import Key, Made
from headland.farm.documents.stamps import Stamp, new_etag
from headland.farm.errors import FarmError, InvalidInputError, UnknownFamilyError
from headland.farm.geometry import DEFAULT_LIMITS, Geometry, Limits, Placed, checked
from headland.farm.geometry.reading import is_light, typed
from headland.farm.geometry.together import batches, placed_together
from headland.farm.versions import Version
from headland.http.validation import BodyInvalidError, decode_json

T = TypeVar("T")

#: eTags that are kept: this service's, and whatever looks like one.
_ETAG = re.compile(r"[0-9A-Za-z\-]{8,64}")


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
    #: The geometry of what is restored.
    placed: Placed | None = None


class _Decoded(NamedTuple):
    """A line's document, of which only the geometry is yet to be checked."""

    line: int
    shape: Shape
    key: Key
    text: bytes
    document: Any
    geometry: Geometry | None


class _HeavyError(Exception):
    """A geometry that a worker has to look at."""

    def __init__(self, geometry: Geometry, field: str) -> None:
        super().__init__()
        self.geometry = geometry
        self.field = field


#: Checks and measures a geometry that stands in a field. Raises BodyInvalidError, or FarmError.
Check = Callable[[Geometry, str], Placed]


class Preparing:
    """Prepares the lines of one import."""

    def __init__(
        self,
        version: Version,
        family: str | None,
        mode: Mode,
        longest: int,
        *,
        measure: Callable[[Geometry, str], Awaitable[Placed]],
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Lines are documents of one `family`, or records of any. `longest` line, in bytes. `measure` checks a geometry
        that takes long.

        Raises:
            ResourceNotFoundError: the version has no such family.
        """
        self._version = version
        self._shape = None if family is None else shape_called(family, version)
        self._prepare = _restored if mode is Mode.RESTORE else _merged
        self._longest = longest
        self._measure = measure
        self._limits = limits

    async def prepare(self, lines: Sequence[Line], stamp: Stamp) -> list[Prepared | Refused]:
        """What each line asks for, or why it can't. Between its steps it looks what else there is to do."""
        begun = [await self._checking(partial(self._begun, line, stamp)) for line in lines]
        await asyncio.sleep(0)
        geometries = [
            each.geometry for each in begun if isinstance(each, _Decoded) and each.geometry is not None
        ]
        found: list[Placed | None] = []
        for batch in batches(geometries):
            found += placed_together(batch, self._limits)
            await asyncio.sleep(0)
        places = iter(found)
        finished = [
            await self._checking(
                partial(_finished, each, next(places) if each.geometry is not None else None, stamp)
            )
            if isinstance(each, _Decoded)
            else each
            for each in begun
        ]
        await asyncio.sleep(0)
        return finished

    async def _checking(self, make: Callable[[Check], T]) -> T:
        """What is made by way of a check, begun anew when a worker has looked at what takes long."""
        known: dict[str, Placed | Exception] = {}

        def check(geometry: Geometry, field: str) -> Placed:
            found = known.get(field)
            if isinstance(found, Exception):
                raise found
            if found is not None:
                return found
            if not is_light(geometry):
                raise _HeavyError(geometry, field)
            return checked(geometry, field, self._limits)

        while True:
            try:
                return make(check)
            except _HeavyError as heavy:
                try:
                    known[heavy.field] = await self._measure(heavy.geometry, heavy.field)
                except (FarmError, BodyInvalidError) as error:
                    known[heavy.field] = error

    def _begun(self, line: Line, stamp: Stamp, check: Check) -> "Prepared | Refused | _Decoded":
        shape = self._shape
        try:
            if line.text is None:
                raise InvalidInputError(
                    f"The line is longer than the {self._longest} bytes that server.max_body allows."
                )
            if shape is not None:
                return self._prepare(line.number, shape, line.text, {}, stamp, check=check)
            record = _record(line.text)
            shape = shape_called(record.family, self._named(record))
            rest = _checked_rest(shape, bytes(record.rest)) if bytes(record.rest) else {}
            return self._prepare(line.number, shape, bytes(record.document), rest, stamp, check=check)
        except (FarmError, BodyInvalidError) as error:
            return refused(line.number, shape, None, error)

    def _named(self, record: Record) -> Version:
        if record.version is None:
            return self._version
        try:
            return Version(record.version)
        except ValueError:
            raise InvalidInputError(f"'{record.version[:80]}' is no version.", "version") from None


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


def with_rest(stored: Stored, rest: Wire) -> Stored:
    """What is stored, with further members that only other versions have."""
    before = msgspec.json.decode(stored.rest) if stored.rest else {}
    beside = {name: value for name, value in rest.items() if name != GEOMETRY}
    return stored._replace(rest=msgspec.json.encode(before | beside)) if beside else stored


def _moved_in(shape: Shape, rest: Wire, check: Check) -> Moved | None:
    """What becomes of a document by the geometry that its record has beside it. Raises as `_placed_in`."""
    place = _placed_in(rest, check)
    return None if place is None else moved_to(shape.family, place)


def _placed_in(rest: Wire, check: Check) -> Placed | None:
    """The geometry that a record has beside its document, whose version knows none.

    Raises:
        BodyInvalidError: it is none.
    """
    geometry = rest.get(GEOMETRY)
    field = f"rest.{GEOMETRY}"
    return None if geometry is None else check(typed(geometry, field), field)


def restored(
    shape: Shape,
    key: Key,
    text: bytes,
    rest: Wire,
    *,
    stamp: Stamp,
    check: Check,
    etag: str | None = None,
) -> tuple[Made, Placed | None]:
    """A document as it was taken out, stamps and all, or with another `etag`. What stamps it lacks are made. Beside it
    its geometry.

    Raises:
        BodyInvalidError: it is no document of the family.
    """
    document: Any = shape.checked(decode_json(text, dict[str, Any]))
    place(shape, key, document)
    document.e_tag = etag or (document.e_tag if _ETAG.fullmatch(document.e_tag) else new_etag(stamp.at, None))
    document.created_date_time = document.created_date_time or stamp.moment
    document.modified_date_time = document.modified_date_time or document.created_date_time
    geometry = taken_apart(shape, document)
    moved, placed = Moved({}, None, None), None
    if shape.family.located:
        placed = _placed_in(rest, check) if geometry is None else check(geometry, GEOMETRY)
        moved = moved_to(shape.family, placed)
    for attribute in moved.members.keys() & shape.names.keys():
        setattr(document, attribute, moved.members[attribute])
    stored = shape.stored(document, None, moved.members)._replace(apart=moved.apart)
    return complete(shape, document, with_rest(stored, rest) if rest else stored, moved.place), placed


def _restored(
    line: int, shape: Shape, text: bytes, rest: Wire, stamp: Stamp, *, check: Check
) -> Prepared | Refused:
    key = None
    try:
        key = _key_in(shape, decode_json(text, dict[str, Any]))
        made, placed = restored(shape, key, text, rest, stamp=stamp, check=check)
    except (FarmError, BodyInvalidError) as error:
        return refused(line, shape, key, error)
    return Prepared(line, shape, key, text, rest, made, placed=placed)


def _merged(
    line: int, shape: Shape, text: bytes, rest: Wire, _stamp: Stamp, *, check: Check
) -> Prepared | Refused | _Decoded:
    document: Any = None
    if not rest and b"null" not in text:
        # What is wrong with it, if anything, is said where it is merged.
        try:  # noqa: SIM105 - `suppress` takes a tenth of the time of a line
            document = shape.decoded(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, BodyInvalidError):
            pass
    key = None
    try:
        if document is None:
            body = decode_json(text, dict[str, Any])
            key = _key_in(shape, body)
            given = body.get(GEOMETRY) if shape.has_geometry else None
            own_place = None if given is None else check(typed(given, GEOMETRY), GEOMETRY)
            moved = patch_of(shape, body, own_place).moved or _moved_in(shape, rest, check)
            return Prepared(line, shape, key, text, rest, None, moved)
        own, *above = (getattr(document, attribute) for attribute in shape.placing)
        key = _key_of(shape, own, above)
    except (FarmError, BodyInvalidError) as error:
        return refused(line, shape, key, error)
    for attribute, default in shape.read_only.items():
        setattr(document, attribute, default)
    return _Decoded(line, shape, key, text, document, taken_apart(shape, document))


def _finished(each: _Decoded, place: Placed | None, stamp: Stamp, check: Check) -> Prepared | Refused:
    """`place` is the geometry's, if that is known to be good."""
    line, shape, key, text, document, geometry = each
    if geometry is not None and place is None:
        try:
            place = check(geometry, GEOMETRY)
        except (FarmError, BodyInvalidError) as error:
            return refused(line, shape, key, error)
    moved = None if place is None else moved_to(shape.family, place)
    made = stamped(shape, key, document, None, stamp, moved=moved)
    return Prepared(line, shape, key, text, {}, made, moved)


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


def _key_in(shape: Shape, body: Mapping[str, Any]) -> Key:
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


def _checked_rest(shape: Shape, text: bytes) -> Wire:
    rest: Wire = decode_json(text, dict[str, Any])
    own = shape_of(shape.family, shape.family.stored_as).names
    others = {member.attribute for member in members_of(shape.family.document)} - own.keys()
    if unknown := rest.keys() - others:
        raise InvalidInputError(
            f"No version has a member '{min(unknown)[:80]}' beside the document's.", "rest"
        )
    try:
        whole(shape.family, Stored(b"{}", text))
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"{error}.", "rest") from None
    return rest


def _record(text: bytes) -> Record:
    try:
        return decode_record(text)
    except msgspec.ValidationError as error:
        raise BodyInvalidError("", f"the line is no record: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyInvalidError("", f"the line is not JSON: {error}") from None
    except RecursionError:
        raise BodyInvalidError("", "the line is nested too deeply") from None


@cache
def _by_segment(version: Version) -> Mapping[str, Shape]:
    return {f.segment.of(version): shape_of(f, version) for f in FAMILIES if version in f.versions}
