"""One-time codes of authenticator apps: TOTP (RFC 6238) with HMAC-SHA-1, 6 digits and steps of 30 seconds, which all
of them take.
"""

import base64
import hashlib
import hmac
import secrets
import struct
from urllib.parse import quote

STEP_SECONDS = 30
DIGITS = 6

#: Steps by which the clocks may differ, either way (RFC 6238 section 5.2).
DRIFT = 1


def new_secret() -> bytes:
    """160 random bits, as RFC 4226 section 4 recommends."""
    return secrets.token_bytes(20)


def code_at(secret: bytes, step: int) -> str:
    """The code of a step (RFC 4226 section 5.3)."""
    digest = hmac.digest(secret, struct.pack(">Q", step), hashlib.sha1)
    offset = digest[-1] & 0xF
    (number,) = struct.unpack(">I", digest[offset : offset + 4])
    return f"{(number & 0x7FFFFFFF) % 10**DIGITS:0{DIGITS}d}"


def step_of(secret: bytes, code: str, now: float, used: int | None) -> int | None:
    """The step whose code this is, at `now` (seconds since 1970); None for a wrong code, or one of a step up to
    `used`: each opens once.
    """
    given = "".join(code.split()).encode("utf-8", "surrogatepass")
    current = int(now // STEP_SECONDS)
    found = None
    for step in range(current - DRIFT, current + DRIFT + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), given) and (used is None or step > used):
            found = step
    return found


def as_text(secret: bytes) -> str:
    """As people type it."""
    return base64.b32encode(secret).decode()


def from_text(text: str) -> bytes | None:
    """The secret that `as_text` wrote; None where it is none."""
    try:
        secret = base64.b32decode("".join(text.split()).upper())
    except ValueError:
        return None
    return secret if len(secret) == 20 else None


def address(secret: bytes, user_name: str, issuer: str) -> str:
    """What an authenticator app takes as a link or QR code (Key URI format)."""
    label = f"{quote(issuer, safe='')}:{quote(user_name, safe='')}"
    return f"otpauth://totp/{label}?secret={as_text(secret)}&issuer={quote(issuer, safe='')}"
