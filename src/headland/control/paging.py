"""Pages of a list, and the link to the next one."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request

from headland.control.errors import BadParameterError

T = TypeVar("T")

LARGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """What part of a list is asked for: up to `size` items whose key comes after `after`."""

    size: int
    after: str


def asked(request: Request, size: str, default: int = LARGEST, least: int = 1) -> Page:
    """The page that a request asks for by the parameter `size` and `$skipToken`.

    Raises:
        BadParameterError: one of them is not as it must be.
    """
    wanted = request.query_params.get(size)
    number = default
    if wanted is not None:
        if not (wanted.isascii() and wanted.isdigit()) or not least <= int(wanted[:9]) <= LARGEST:
            raise BadParameterError(size, f"it is a number from {least} to {LARGEST}, not '{wanted}'")
        number = int(wanted)
    token = request.query_params.get("$skipToken") or request.query_params.get("$skiptoken")
    return Page(number, _decoded(token) if token else "")


def cut(items: Sequence[T], key: Callable[[T], str], page: Page) -> tuple[Sequence[T], str | None]:
    """The page's part of a list that is sorted by `key`, and the token of the next page if there is one."""
    rest = [item for item in items if key(item) > page.after]
    shown = rest[: page.size]
    more = len(rest) > page.size
    return shown, _encoded(key(shown[-1])) if more else None


def next_link(request: Request, public_url: str, token: str | None) -> str | None:
    """The address of the next page: the same list, from there on."""
    if token is None:
        return None
    kept = [
        (name, value) for name, value in request.query_params.multi_items() if name.lower() != "$skiptoken"
    ]
    return f"{public_url}{quote(request.url.path)}?{urlencode([*kept, ('$skipToken', token)])}"


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(token: str) -> str:
    try:
        return base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise BadParameterError("$skipToken", "it is none that a list here has answered with") from None
