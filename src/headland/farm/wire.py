"""Error bodies, and pages."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct


class InnerError(Struct, frozen=True, omit_defaults=True):
    """A more exact code."""

    code: str | None = None
    innererror: "InnerError | None" = None


class Error(Struct, frozen=True, omit_defaults=True):
    """What is wrong."""

    code: str
    message: str
    target: str | None = None
    details: "list[Error] | None" = None
    innererror: InnerError | None = None


class ErrorResponse(Struct, frozen=True, rename="camel"):
    """The body of every refusal."""

    error: Error
    #: The request's id: the log has more under it.
    trace_id: str


def list_struct(name: str, document: type[Any]) -> type[Any]:
    """The Struct of a page of documents, for descriptions of the API: pages themselves are joined from bytes."""
    return msgspec.defstruct(
        name,
        [
            ("value", list[document]),  # type: ignore[valid-type]
            ("skip_token", str | None, None),
            ("next_link", str | None, None),
        ],
        rename="camel",
        omit_defaults=True,
        module=document.__module__,
        namespace={"__doc__": "A page. The last one has neither token nor link."},
    )


def joined(documents: Iterable[bytes], token: str | None, link: str | None) -> bytes:
    """A page: documents that are JSON already. Neither token nor link has anything that JSON escapes."""
    value = b",".join(documents)
    if token is None or link is None:
        return b'{"value":[%b]}' % value
    return b'{"value":[%b],"skipToken":"%b","nextLink":"%b"}' % (value, token.encode(), link.encode())
