"""Addresses in documents. They are not stored: where an instance is reached is for each request to say."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A member that says where what belongs to a document is listed, below the document's own parents."""

    attribute: str
    #: Of the list.
    segment: str
    #: Its parameters; in their values, `{id}` is the document's.
    query: Mapping[str, str]
