"""Say what is wrong with a JSON body in words that name the field."""

import gc
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

#: Bytes of bodies of which the decoding is felt.
_LARGE = 1 << 16

#: msgspec speaks of Python's types in a few places where the caller thinks in JSON's.
_JSON_NAMES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "dict": "object"}

#: As msgspec writes the place of an entry of an object whose names are the client's.
_SOME_ENTRY = "[...]"

#: Digits all alike, signs left out. A body that has none of the marks then has no number that a double can't hold.
_DIGITS = bytes.maketrans(b"E123456789", b"e000000000")
_SIGNS = b"+-"
#: Fewer make no such number, whatever exponent of two digits they have.
_MANY_DIGITS, _SOME_EXPONENT = b"0" * 200, b"e000"
_LONG_EXPONENT = re.compile(rb"[\[,:\s]-?[\d.]+[eE][+-]?\d{3}")

#: Numbers among which are those that a double can't hold: of many digits, or with an exponent to match their digits.
_EXTREME = re.compile(
    rb"-?(?<![\d.])(?:(?=[\d.]{200})\d++(?:\.\d++)?+(?:[eE][+-]?+\d++)?+|(?=[\d.]{33})\d++(?:\.\d++)?+[eE][+-]?+\d{3,}+"
    rb"|\d++(?:\.\d++)?+[eE][+-]?+0*+(?:2[4-9]\d|[3-9]\d\d|1\d{3})\d*+)"
)

#: As many of them may be in a body: each takes a thousand times as long to decode as others.
_MOST_EXTREME = 1_000
_SOME_DIGIT = re.compile(rb"[^eE]*[1-9]")

#: Stands for a number in whose place it is looked for, and is in nobody's text by chance.
_MARK = "\0number\0"
_MARKED = msgspec.json.encode(_MARK)


class BodyInvalidError(Exception):
    """A JSON body is malformed or does not have the shape asked for. `field` is "" for the body itself."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


def decode_json(body: bytes, wanted: type[T], *, lax: bool = False) -> T:
    """`body` as `wanted`; `lax` also takes numbers that come as strings.

    Raises:
        BodyInvalidError: what is wrong, and where.
    """
    if not body.strip():
        raise BodyInvalidError("", "the body is empty; a JSON object is expected")
    if not has_plain_numbers(body):
        _check_numbers(body)
    try:
        if len(body) < _LARGE:
            return msgspec.json.decode(body, type=wanted, strict=not lax)
        with _collecting_later():
            return msgspec.json.decode(body, type=wanted, strict=not lax)
    except msgspec.ValidationError as error:
        raise _explain(str(error), wanted, lambda: msgspec.json.decode(body), strict=not lax) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyInvalidError("", f"the body is not JSON: {error}") from None
    except RecursionError:
        raise BodyInvalidError("", "the body is nested too deeply") from None


def convert_json(value: object, wanted: type[T], *, lax: bool = False) -> T:
    """`value`, which was decoded from JSON without a type, as `wanted`. Raises as `decode_json`."""
    try:
        with _collecting_later():
            return msgspec.convert(value, wanted, strict=not lax)
    except msgspec.ValidationError as error:
        raise _explain(str(error), wanted, lambda: value, strict=not lax) from None


@contextmanager
def _collecting_later() -> Iterator[None]:
    """What is decoded has no cycles, and the collector would look at all of a megabyte of it, many times."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def has_plain_numbers(body: bytes) -> bool:
    """Whether a look at JSON text is enough to tell that it has no number that a double can't hold: one beyond
    1.8e308, or one that would become 0 and is not (nearer to it than 5e-324). `decode_json` refuses those.
    """
    alike = body.translate(_DIGITS, _SIGNS)
    if _MANY_DIGITS in alike:
        return False
    # Most of these are in text, such as a GUID.
    return _SOME_EXPONENT not in alike or _LONG_EXPONENT.search(body) is None


def _check_numbers(body: bytes) -> None:
    # Of the same length, so that what is found has the same place in both.
    pieces = body.replace(b"\\\\", b"..").replace(b'\\"', b"..").split(b'"')
    # Every other one stands in a text.
    outside = b'"'.join(pieces[::2])
    for found, number in enumerate(_EXTREME.finditer(outside)):
        if _is_lost(number):
            break
        if found == _MOST_EXTREME:
            raise BodyInvalidError(
                "",
                f"has more than {_MOST_EXTREME} numbers beyond 1e240, nearer to 0 than 1e-240, or of 200 digits",
            )
    else:
        return
    texts = outside.count(b'"', 0, number.start())
    behind = number.start() - outside.rfind(b'"', 0, number.start()) - 1
    start = sum(map(len, pieces[: 2 * texts])) + 2 * texts + behind
    text = number[0].decode()
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    try:
        with _collecting_later():
            marked = msgspec.json.decode(b"%b%b%b" % (body[:start], _MARKED, body[start + len(text) :]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # What is wrong with it is told by who decodes it.
        return
    with _collecting_later():
        place = _place_of(_MARK, marked)
    raise BodyInvalidError(
        place,
        f"the number {shown} can't be kept: numbers are doubles (IEEE 754), 0 or from 5e-324 to 1.8e308",
    )


def _is_lost(number: re.Match[bytes]) -> bool:
    """Whether a double can't hold it."""
    value = float(number[0])
    return not math.isfinite(value) or (value == 0 and _SOME_DIGIT.match(number[0]) is not None)


def _place_of(mark: str, value: object) -> str:
    """Where a text stands in what was decoded from JSON. The way to it is put into words at the end: a long one would
    be there as often as what it leads to has entries.
    """
    left: list[tuple[Any, object]] = [(None, value)]
    while left:
        way, value = left.pop()
        if not isinstance(value, dict | list):
            continue
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        if mark in (value.values() if isinstance(value, dict) else value):
            return _in_words((way, next(step for step, each in entries if each == mark)))
        left += [((way, step), each) for step, each in entries if isinstance(each, dict | list)]
    return ""


def _in_words(way: Any) -> str:
    steps = []
    while way is not None:
        way, step = way
        steps.append(f"[{step}]" if isinstance(step, int) else f".{step[:80]}")
    return "".join(reversed(steps)).removeprefix(".")


def _explain(problem: str, wanted: type, value: Callable[[], object], *, strict: bool) -> BodyInvalidError:
    reason, _, place = problem.partition(" - at `")
    of_name = place.startswith("key` in `")
    field = place.removeprefix("key` in `").removesuffix("`")
    if _SOME_ENTRY in field or of_name:
        # What comes behind the place may be no JSON, or nested too deeply to be read for the entry's name.
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            field = _with_name(field + _SOME_ENTRY * of_name, value(), problem, wanted, strict=strict)
    field = field.removeprefix("$").removeprefix(".")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", reason, re.DOTALL):
        name = f"{field}.{unknown[1][:80]}" if field else unknown[1][:80]
        known = ", ".join(item.encode_name for item in msgspec.structs.fields(wanted))
        return BodyInvalidError(name, f"unknown field; the fields are {known}")
    if missing := re.fullmatch(r"Object missing required field `(.*)`", reason):
        name = f"{field}.{missing[1]}" if field else missing[1]
        return BodyInvalidError(name, "is required")
    # That a field may be null, too, is no news to somebody who sent something else.
    reason = reason.replace(" | null`", "`")
    reason = re.sub(
        r"`([^`]*)`", lambda m: re.sub(r"\w+", lambda w: _JSON_NAMES.get(w[0], w[0]), m[1]), reason
    )
    reason = f"the name is invalid: {reason}" if of_name else reason
    return BodyInvalidError(field, reason[:1].lower() + reason[1:])


def _with_name(field: str, value: Any, problem: str, wanted: type, *, strict: bool) -> str:
    """A place with the name of the entry in it that has the problem. A further one stays as it is."""
    before, _, after = field.partition(_SOME_ENTRY)
    steps = before.removeprefix("$").split(".")[1:]
    try:
        for step in steps:
            value = value[step]
        entries = list(value.items())
    except (AttributeError, LookupError, TypeError):
        return field

    def fails(some: list[tuple[str, Any]]) -> bool:
        part: Any = dict(some)
        for step in reversed(steps):
            part = {step: part}
        try:
            msgspec.convert(part, wanted, strict=strict)
        except msgspec.ValidationError as error:
            return str(error) == problem
        return False

    if not fails(entries):
        return field
    while len(entries) > 1:
        half = entries[: len(entries) // 2]
        entries = half if fails(half) else entries[len(half) :]
    return f"{before}.{entries[0][0][:80]}{after}"
