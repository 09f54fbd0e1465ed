"""Tokens of pages: where a list goes on, and which list it is.

They consist of unreserved characters (RFC 3986 section 2.3), since one public client puts them into URLs as
they are; and they have the whole query, since it sends nothing else with them (`farm.md` section 3.1).
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headland.farm.errors import InvalidInputError

_MAC_SIZE = 16
#: Longer ones are not worth decoding. What fits into a request's line is shorter.
_LONGEST = 65_536


class Continuation(Struct, frozen=True, array_like=True):
    """What a token says."""

    family: str
    #: None for all parties.
    party: str | None
    #: As in `rows.Key`.
    within: str | None
    asked: Mapping[str, Sequence[Any]]
    #: Number of the last row that was shown.
    after: int
    size: int
    #: Geometry that is searched by, as well-known binary.
    geometry: bytes | None = None
    #: Whether not the path named the party, but a search's body.
    narrowed: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Continuation).decode


def sealed(continuation: Continuation, secret: bytes) -> str:
    """The token."""
    payload = _encode(continuation)
    return _text(_mac(payload, secret) + payload)


def _text(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def opened(token: str, secret: bytes, parameter: str = "skipToken") -> Continuation:
    """What a token says that was sealed with the same secret. `parameter` is where it was given.

    Raises:
        InvalidInputError: it was not, or was changed since.
    """
    try:
        if len(token) <= _LONGEST:
            decoded = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
            mac, payload = decoded[:_MAC_SIZE], decoded[_MAC_SIZE:]
            # Of a token's last character, some bits say nothing; a token has one spelling all the same.
            if hmac.compare_digest(_mac(payload, secret), mac) and _text(decoded) == token:
                return _decode(payload)
    except (ValueError, msgspec.MsgspecError):
        pass
    raise InvalidInputError(
        "The skip token is not one of this instance's; ask for the first page anew.", parameter
    )


def _mac(payload: bytes, secret: bytes) -> bytes:
    return hmac.digest(secret, payload, hashlib.sha256)[:_MAC_SIZE]
