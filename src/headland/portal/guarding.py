"""What a browser holds, and what guards forms: nobody else's page can send one in somebody's name.

A form has a token that is made from what the browser's cookie holds, so it is good for that browser alone. It is
masked anew for each page: compressed answers would tell of one that stays, by their lengths.
"""

import base64
import hmac
import secrets

from starlette.requests import Request
from starlette.responses import Response

#: `__Host-`: for this host alone, over TLS alone, and set by nobody below it (RFC 6265bis section 4.1.3.2).
SESSION = "__Host-headland"
#: Of a browser in which nobody is signed in.
VISIT = "__Host-headland-visit"

#: By which those who have signed in there before know the browser.
DEVICE = "__Host-headland-device"

#: Of one who was sent to a provider elsewhere.
JOURNEY = "__Host-headland-journey"

_SIZE = 32
#: A multiple of three, so that its text needs no padding.
_SEAL = 18


class ForgedError(Exception):
    """A form did not come from a page of ours in this browser, or from an old one."""


def cookie(request: Request, name: str) -> str | None:
    """What the browser holds under a name. Of ours none is quoted; Python's reader of those that are takes a time that
    grows with the square of their length (CVE-2024-7592).
    """
    found = None
    for header in request.headers.getlist("cookie"):
        for each in header.split(";"):
            own, _, text = each.partition("=")
            if own.strip() == name:
                found = text.strip()
    return found


def session_key(request: Request) -> str | None:
    """What the browser holds of a session, good or not."""
    return cookie(request, SESSION)


def visit_key(request: Request) -> str:
    """What guards the forms of who is not signed in: the browser's, or a new one."""
    return cookie(request, VISIT) or secrets.token_urlsafe(32)


def keep(response: Response, name: str, key: str) -> None:
    """Have the browser hold `key` until it is closed."""
    response.set_cookie(name, key, secure=True, httponly=True, samesite="lax", path="/")


def keep_for(response: Response, name: str, text: str, seconds: int) -> None:
    """Have the browser hold `text` for so long."""
    response.set_cookie(name, text, max_age=seconds, secure=True, httponly=True, samesite="lax", path="/")


def let_go(response: Response, name: str) -> None:
    """Have the browser forget."""
    response.delete_cookie(name, secure=True, httponly=True, samesite="lax", path="/")


def form_token(key: str) -> str:
    """For a form in a page of who holds `key`."""
    mask = secrets.token_bytes(_SIZE)
    return base64.urlsafe_b64encode(mask + _mixed(mask, _digest(key))).decode()


def check_form(request: Request, key: str, token: str) -> None:
    """
    Raises:
        ForgedError: the form was not for whoever holds `key`.
    """
    # Browsers that say where a request comes from are believed where it is from elsewhere (Fetch Metadata).
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise ForgedError
    try:
        sent = base64.urlsafe_b64decode(token)
    except ValueError:
        raise ForgedError from None
    if len(sent) != 2 * _SIZE or not hmac.compare_digest(_mixed(sent[:_SIZE], sent[_SIZE:]), _digest(key)):
        raise ForgedError


def seal(key: str, text: str) -> str:
    """Shows that whoever holds `key` was given the text by us."""
    made = hmac.digest(_digest(key), text.encode("utf-8", "surrogatepass"), "sha256")
    return base64.urlsafe_b64encode(made[:_SEAL]).decode()


def is_sealed(key: str, text: str, sealed: str) -> bool:
    """Whether `sealed` is the text's seal."""
    return hmac.compare_digest(seal(key, text).encode(), sealed.encode("utf-8", "surrogatepass"))


def _digest(key: str) -> bytes:
    return hmac.digest(key.encode("utf-8", "surrogatepass"), b"forms", "sha256")


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
