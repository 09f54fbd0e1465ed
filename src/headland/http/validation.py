"""Say what is wrong with a JSON body in words that name the field."""

import re
from typing import TypeVar

import msgspec

T = TypeVar("T")

#: msgspec speaks of Python's types in a few places where the caller thinks in JSON's.
_JSON_NAMES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "dict": "object"}


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
    try:
        return msgspec.json.decode(body, type=wanted, strict=not lax)
    except msgspec.ValidationError as error:
        raise _explain(str(error), wanted) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyInvalidError("", f"the body is not JSON: {error}") from None
    except RecursionError:
        raise BodyInvalidError("", "the body is nested too deeply") from None


def convert_json(value: object, wanted: type[T], *, lax: bool = False) -> T:
    """`value`, which was decoded from JSON without a type, as `wanted`. Raises as `decode_json`."""
    try:
        return msgspec.convert(value, wanted, strict=not lax)
    except msgspec.ValidationError as error:
        raise _explain(str(error), wanted) from None


def _explain(problem: str, wanted: type) -> BodyInvalidError:
    reason, _, place = problem.partition(" - at `")
    field = place.removesuffix("`").removeprefix("$").removeprefix(".")
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
    return BodyInvalidError(field, reason[:1].lower() + reason[1:])
