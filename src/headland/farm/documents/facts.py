"""What a row keeps of a document to be filtered on."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from headland.farm.catalogue import Family
from headland.farm.catalogue.filters import Column
from headland.farm.catalogue.members import Measure

#: Stands before and after each item of a list, and between key and value of a pair: nothing a client writes is
#: likely to have them, and what does merely matches too much in its own document.
ITEM, PAIR = "\x1f", "\x1e"

NOTHING: Mapping[str, Any] = {}

#: Types of values that are kept as they are.
_PLAIN = frozenset({type(None), str, int, float, bool})


#: A value for each of a family's columns, but for the id's, in their order.
Facts = tuple[Any, ...]


def facts(family: Family, document: object, beside: Mapping[str, Any] = NOTHING) -> Facts:
    """The values that a document has for its family's columns, or those `beside` it, by attribute."""
    found = []
    for attribute, further in _paths(family):
        value = beside[attribute] if attribute in beside else getattr(document, attribute, None)
        for each in further:
            value = getattr(value, each, None)
        found.append(value if value.__class__ in _PLAIN else _fact(value))
    return tuple(found)


def fact(family: Family, known: Facts, column: str) -> Any:
    """The value for one column."""
    return known[_numbers(family)[column]]


def by_column(family: Family, known: Facts) -> dict[str, Any]:
    """All values by column."""
    return dict(zip(fact_columns(family), known, strict=True))


@cache
def fact_columns(family: Family) -> tuple[str, ...]:
    """Names of the columns that there are facts for."""
    return tuple(column.name for column in _columns(family))


@cache
def _numbers(family: Family) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(fact_columns(family))}


@cache
def _paths(family: Family) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of each column the document's attribute, and the way on from there."""
    return tuple((column.path[0], column.path[1:]) for column in _columns(family))


def _columns(family: Family) -> Iterator[Column]:
    return (column for column in family.columns if column.name != "id")


@lru_cache(16)
def milliseconds(moment: datetime) -> int:
    """Since the epoch."""
    return round(moment.timestamp() * 1000)


def pair(key: str, value: str) -> str:
    """A pair of a bag of properties, as an item."""
    return f"{key}{PAIR}{value}"


def item(text: str) -> str:
    """Text as it is found among a list's items."""
    return f"{ITEM}{text}{ITEM}"


def items_of(listed: str) -> list[str]:
    """The items of a list, as a column has it."""
    return listed.strip(ITEM).split(ITEM)


def _fact(value: Any) -> Any:
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
