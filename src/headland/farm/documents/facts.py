"""What a row keeps of a document to be filtered on."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from headland.farm.catalogue import Family

#: Stands before and after each item of a list, and between key and value of a pair: nothing a client writes is
#: likely to have them, and what does merely matches too much in its own document.
ITEM, PAIR = "\x1f", "\x1e"


def facts(family: Family, document: object) -> dict[str, Any]:
    """The family's columns with the document's values."""
    return {column.name: _fact(document, column.path) for column in family.columns if column.name != "id"}


def milliseconds(moment: datetime) -> int:
    """Since the epoch."""
    return round(moment.timestamp() * 1000)


def pair(key: str, value: str) -> str:
    """A pair of a bag of properties, as an item."""
    return f"{key}{PAIR}{value}"


def item(text: str) -> str:
    """Text as it is found among a list's items."""
    return f"{ITEM}{text}{ITEM}"


def _fact(document: object, path: tuple[str, ...]) -> Any:
    value: Any = document
    for attribute in path:
        value = getattr(value, attribute, None)
    match value:
        case datetime():
            return milliseconds(value)
        case Mapping():
            return _listed(pair(key, _text(each)) for key, each in value.items())
        case list():
            return _listed(value)
        case _:
            return value


def _listed(items: Any) -> str | None:
    joined = ITEM.join(items)
    return item(joined) if joined else None


def _text(value: str | float) -> str:
    """As JSON writes numbers."""
    return value if isinstance(value, str) else json.dumps(value)
