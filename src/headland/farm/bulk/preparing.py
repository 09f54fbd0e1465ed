"""What a line asks for, found out before any row is touched: that takes most of an import's time."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from headland.farm.bulk.lines import Line
from headland.farm.bulk.prepared import (
    Decoded,
    Mode,
    Prepared,
    key_at,
    key_in,
    refused,
    shape_called,
)
from headland.farm.bulk.wire import Record, Refused, decode_record
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.members import members_of
from headland.farm.catalogue.shape import Shape, Stored, Wire, shape_of, whole
from headland.farm.documents.making import (
    Moved,
    complete,
    moved_to,
    patch_of,
    place,
    stamped,
    taken_apart,
)
from headland.farm.documents.rows import Made
from headland.farm.documents.stamps import Stamp, new_etag
from headland.farm.errors import FarmError, InvalidInputError
from headland.farm.geometry import DEFAULT_LIMITS, Geometry, Limits, Placed, checked
from headland.farm.geometry.reading import is_light, typed
from headland.farm.geometry.together import batches, placed_together
from headland.farm.versions import Version
from headland.http.bodies import MAX_BODY
from headland.http.validation import BodyInvalidError, decode_json

T = TypeVar("T")

#: eTags that are kept: this service's, and whatever looks like one.
_ETAG = re.compile(r"[0-9A-Za-z\-]{8,64}")


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
        setting: str = MAX_BODY,
    ) -> None:
        """Lines are documents of one `family`, or records of any. `longest` line, in bytes, as `setting` has it.
        `measure` checks a geometry that takes long.

        Raises:
            ResourceNotFoundError: the version has no such family.
        """
        self._version = version
        self._shape = None if family is None else shape_called(family, version)
        self._prepare, self._make = (_restored, _kept) if mode is Mode.RESTORE else (_merged, _stamped)
        self._longest = longest
        self._setting = setting
        self._measure = measure
        self._limits = limits

    async def prepare(self, lines: Sequence[Line], stamp: Stamp) -> list[Prepared | Refused]:
        """What each line asks for, or why it can't. Between its steps it looks what else there is to do."""
        begun = [await self._checking(partial(self._begun, line, stamp)) for line in lines]
        await asyncio.sleep(0)
        geometries = [
            each.geometry for each in begun if isinstance(each, Decoded) and each.geometry is not None
        ]
        found: list[Placed | None] = []
        for batch in batches(geometries):
            found += placed_together(batch, self._limits)
            await asyncio.sleep(0)
        places = iter(found)
        finished = [
            await self._checking(
                partial(
                    _finished,
                    each,
                    next(places) if each.geometry is not None else None,
                    self._make,
                    stamp,
                )
            )
            if isinstance(each, Decoded)
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

    def _begun(self, line: Line, stamp: Stamp, check: Check) -> "Prepared | Refused | Decoded":
        shape = self._shape
        try:
            if line.text is None:
                raise InvalidInputError(
                    f"The line is longer than the {self._longest} bytes that {self._setting} allows."
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


def restored(each: Prepared, *, stamp: Stamp, etag: str) -> Made:
    """What is stored of a line that is restored, with another `etag` than the line's."""
    document = _opened(each.shape, each.text)
    taken_apart(each.shape, document)
    document.e_tag = etag
    decoded = Decoded(each.line, each.shape, each.key, each.text, each.rest, document, None)
    return _kept(decoded, each.moved, stamp)


def _opened(shape: Shape, text: bytes) -> Any:
    """A document as it was taken out. Raises BodyInvalidError."""
    try:
        return shape.decoded(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # Once more, to be told in words.
        return shape.checked(decode_json(text, dict[str, Any]))


def _restored(
    line: int, shape: Shape, text: bytes, rest: Wire, _stamp: Stamp, *, check: Check
) -> Refused | Decoded:
    del check  # All geometries are looked at together.
    key = None
    try:
        try:
            document = _opened(shape, text)
        except BodyInvalidError:
            # For who reads what is refused.
            key = key_in(shape, decode_json(text, dict[str, Any]))
            raise
        key = key_at(shape, document)
        geometry, beside = taken_apart(shape, document), rest.get(GEOMETRY)
        if geometry is None and beside is not None:
            geometry = typed(beside, f"rest.{GEOMETRY}")
    except (FarmError, BodyInvalidError) as error:
        return refused(line, shape, key, error)
    return Decoded(line, shape, key, text, rest, document, geometry)


def _kept(each: Decoded, moved: Moved | None, stamp: Stamp) -> Made:
    """A document as it was taken out, stamps and all. What stamps it lacks are made."""
    shape, document = each.shape, each.document
    place(shape, each.key, document)
    if _ETAG.fullmatch(document.e_tag) is None:
        document.e_tag = new_etag(stamp.at, None)
    document.created_date_time = document.created_date_time or stamp.moment
    document.modified_date_time = document.modified_date_time or document.created_date_time
    if moved is None:
        moved = moved_to(shape.family, None) if shape.family.located else Moved({}, None, None)
    for attribute in moved.members.keys() & shape.names.keys():
        setattr(document, attribute, moved.members[attribute])
    stored = shape.stored(document, None, moved.members)._replace(apart=moved.apart)
    return complete(shape, document, with_rest(stored, each.rest) if each.rest else stored, moved.place)


def _stamped(each: Decoded, moved: Moved | None, stamp: Stamp) -> Made:
    return stamped(each.shape, each.key, each.document, None, stamp, moved=moved)


def _merged(
    line: int, shape: Shape, text: bytes, rest: Wire, _stamp: Stamp, *, check: Check
) -> Prepared | Refused | Decoded:
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
            key = key_in(shape, body)
            given = body.get(GEOMETRY) if shape.has_geometry else None
            own_place = None if given is None else check(typed(given, GEOMETRY), GEOMETRY)
            moved = patch_of(shape, body, own_place).moved or _moved_in(shape, rest, check)
            return Prepared(line, shape, key, text, rest, None, moved)
        key = key_at(shape, document)
    except (FarmError, BodyInvalidError) as error:
        return refused(line, shape, key, error)
    for attribute, default in shape.read_only.items():
        setattr(document, attribute, default)
    return Decoded(line, shape, key, text, {}, document, taken_apart(shape, document))


def _finished(
    each: Decoded,
    place: Placed | None,
    make: Callable[[Decoded, Moved | None, Stamp], Made],
    stamp: Stamp,
    check: Check,
) -> Prepared | Refused:
    """`place` is the geometry's, if that is known to be good."""
    line, shape, key, text, rest, _, geometry = each
    if geometry is not None and place is None:
        try:
            place = check(geometry, f"rest.{GEOMETRY}" if GEOMETRY in rest else GEOMETRY)
        except (FarmError, BodyInvalidError) as error:
            return refused(line, shape, key, error)
    moved = None if place is None else moved_to(shape.family, place)
    return Prepared(line, shape, key, text, rest, make(each, moved, stamp), moved)


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
