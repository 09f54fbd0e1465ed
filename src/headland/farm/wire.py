"""Error bodies, and pages."""

from collections.abc import Iterable, Mapping
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


def list_struct(name: str, document: type[Any], more: Iterable[str]) -> type[Any]:
    """The Struct of a page of documents, for descriptions of the API: pages themselves are joined from bytes. Where
    there is another page, it has `more`.
    """
    attributes = {f"more_{number}": wire for number, wire in enumerate(more)}
    return msgspec.defstruct(
        name,
        [
            ("value", list[document]),  # type: ignore[valid-type]
            *((attribute, str | None, None) for attribute in attributes),
        ],
        rename={"value": "value", **attributes},
        omit_defaults=True,
        module=document.__module__,
        namespace={"__doc__": "A page. The last one has nothing that leads on."},
    )


def joined(documents: Iterable[bytes], more: Mapping[str, str]) -> bytes:
    """A page: documents that are JSON already, and what leads to the next one. Nothing of that is escaped by JSON."""
    parts = [b'"value":[%b]' % b",".join(documents)]
    parts += [b'"%b":"%b"' % (name.encode(), text.encode()) for name, text in more.items()]
    return b"{%b}" % b",".join(parts)
