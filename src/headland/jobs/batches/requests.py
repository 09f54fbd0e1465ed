"""Read what a request says, by Livy's rules (`livy.md` section 0)."""

import re

from starlette.requests import Request

from headland.http.bodies import media_type_of
from headland.http.headers import header
from headland.jobs.batches.errors import (
    BadKeyError,
    BadNumberError,
    MissingHeaderError,
    NotAcceptableError,
    UnsupportedMediaTypeError,
)

_NUMBERS = range(-(2**31), 2**31)
_DIGITS = re.compile(r"[0-9]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_PLAIN_QUERY = re.compile(rb"(?:from=(?P<from>[0-9]+))?(?:&?size=(?P<size>[0-9]+))?")
_VERSIONED_ACCEPT = re.compile(r"application/vnd\.livy\.v([^+;,\s]*)")

#: The media type of server-sent events.
EVENTS = "text/event-stream"

#: That of a log as it was written.
TEXT = "text/plain"

#: A structured field's string (RFC 8941 section 3.3.3), as the draft of `Idempotency-Key` wants it, or the bare
#: text that most clients send.
_KEY = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"|([!#-+\--~]+)')

#: Far above a UUID.
LONGEST_KEY = 255

#: The protocol's only version.
VERSION = "0.1"


def reference_of(request: Request, parameter: str = "batch_id") -> int | str:
    """The batch or session that the path names: an id if all digits, else a name.

    Raises:
        BadNumberError: a number that none can have.
    """
    text: str = request.path_params[parameter]
    return _integer(text) if _DIGITS.fullmatch(text) else text


def is_plain(request: Request) -> bool:
    """Whether the query says no more than `from` and `size`, as those of Livy's clients do."""
    return _PLAIN_QUERY.fullmatch(request.scope["query_string"]) is not None


def number_of(request: Request, name: str) -> int | None:
    """An integer query parameter; None where it is not given.

    Raises:
        BadNumberError: it is something else.
    """
    query: bytes = request.scope["query_string"]
    if not query:
        return None
    if plain := _PLAIN_QUERY.fullmatch(query):
        # What clients send, read without Starlette's parser: that takes longer than a page of rows.
        text = plain[name].decode() if plain[name] else None
    else:
        text = request.query_params.get(name)
    if text is None:
        return None
    if not _INTEGER.fullmatch(text):
        raise BadNumberError(text[:80])
    return _integer(text)


def idempotency_key_of(request: Request) -> str | None:
    """The key by which a submission may be repeated; None where there is none.

    Raises:
        BadKeyError: it is malformed.
    """
    given = request.headers.getlist("idempotency-key")
    if not given:
        return None
    text = given[0].strip()
    # Of each character a reverse solidus may come first, and quotation marks round all.
    if len(text) > 2 * LONGEST_KEY + 2:
        raise BadKeyError(f"has {len(text)} characters; it must have 1 to {LONGEST_KEY}")
    match = _KEY.fullmatch(text)
    if len(given) > 1 or match is None:
        raise BadKeyError("must be one text of visible ASCII characters, with or without quotation marks")
    key = match[2] or re.sub(r"\\(.)", r"\1", match[1] or "")
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadKeyError(f"has {len(key)} characters; it must have 1 to {LONGEST_KEY}")
    return key


def check_requested_by(request: Request) -> None:
    """Demand `X-Requested-By`, which a browser sends for no foreign page.

    Raises:
        MissingHeaderError: it is absent or empty.
    """
    if not request.headers.get("x-requested-by", "").strip():
        raise MissingHeaderError


def check_accept(request: Request) -> None:
    """Refuse a version of the protocol that there is not; any other `Accept` gets JSON.

    Raises:
        NotAcceptableError: as said.
    """
    accepted = header(request.scope, b"accept")
    asked = _VERSIONED_ACCEPT.match(accepted) if accepted else None
    if asked and asked[1] != VERSION:
        raise NotAcceptableError(f"No value found for '{asked[1][:40]}'")


def wants_events(request: Request) -> bool:
    """Whether server-sent events are asked for."""
    accepted = request.headers.get("accept", "").lower()
    return EVENTS in accepted and any(
        kind.partition(";")[0].strip() == EVENTS for kind in accepted.split(",")
    )


def wants_text(request: Request) -> bool:
    """Whether plain text is asked for, and nothing else: many clients that want JSON take text, too."""
    return request.headers.get("accept", "").partition(";")[0].strip().lower() == TEXT


def check_json(request: Request) -> None:
    """Take JSON by any of its names, and a body of which nothing is said.

    Raises:
        UnsupportedMediaTypeError: it is said to be something else.
    """
    media_type, _ = media_type_of(request)
    if media_type not in {"", "application/json", "text/json"} and not media_type.endswith("+json"):
        raise UnsupportedMediaTypeError(f"Content-Type must be application/json, not '{media_type[:80]}'.")


def _integer(text: str) -> int:
    # Counted first: int() of a very long text takes long, and refuses it with another error.
    digits = text.lstrip("+-").lstrip("0") or "0"
    number = int(digits) if len(digits) <= len("2147483648") else 2**31
    number = -number if text.startswith("-") else number
    if number not in _NUMBERS:
        raise BadNumberError(text[:80])
    return number
