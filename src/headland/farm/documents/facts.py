"""What a row keeps of a document to be filtered on."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from headland.farm.catalogue import Family
from headland.farm.catalogue.members import Measure

#: Stands before and after each item of a list, and between key and value of a pair: nothing a client writes is
#: likely to have them, and what does merely matches too much in its own document.
ITEM, PAIR = "\x1f", "\x1e"

NOTHING: Mapping[str, Any] = {}


def facts(family: Family, document: object, beside: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
    """The family's columns with the document's values, or with those `beside` it, by attribute."""
    return {
        column.name: _fact(beside if column.path[0] in beside else document, column.path)
        for column in family.columns
        if column.name != "id"
    }


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
    value: Any = document[path[0]] if isinstance(document, dict) else getattr(document, path[0], None)
    for attribute in path[1:]:
        value = getattr(value, attribute, None)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return milliseconds(value)
    if isinstance(value, dict):
        return _listed(part for key, each in value.items() for part in _parts(key, each))
    return _listed(value) if isinstance(value, list) else value


def _parts(key: str, value: Any) -> Iterator[str]:
    """What of an entry can be asked for."""
    if isinstance(value, Measure):
        if value.unit is not None:
            yield pair(f"{key}.unit", value.unit)
        if value.value is not None:
            yield pair(f"{key}.value", as_text(float(value.value)))
    elif isinstance(value, list):
        for each in value:
            yield from _parts(key, each)
    elif not isinstance(value, dict):
        yield pair(key, as_text(value))


def _listed(items: Any) -> str | None:
    joined = ITEM.join(items)
    return item(joined) if joined else None


def as_text(value: str | float | bool | None) -> str:
    """All but text as JSON writes it."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
