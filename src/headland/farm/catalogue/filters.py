"""Filters of lists as declared: a query parameter, and the column of the family's table that it is held against."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from headland.farm.versions import ALL, Versions, versions


class Match(Enum):
    """How what a request asks for is held against a document's value."""

    #: One of the values that are given by naming the parameter again and again.
    ANY_OF = auto()
    #: The document's list has one of the given values.
    HAS_ANY = auto()
    #: The document's bag has one of the given pairs, each as `{key} eq {value}`.
    HAS_PAIR = auto()
    #: The document's measurements have one of the given units or values, each as `{key}.unit eq {text}` or
    #: `{key}.value eq {number}`.
    HAS_MEASURE = auto()
    EQUAL = auto()
    #: The text has what is asked for somewhere, in capitals or not.
    CONTAINS = auto()
    AT_LEAST = auto()
    AT_MOST = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """A value of each document that is kept beside it, to be filtered on."""

    #: Of the table.
    name: str
    #: Attributes from the document down to the value.
    path: tuple[str, ...]
    type: type[str | int | float | bool | datetime | list[str]]
    indexed: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A query parameter of a family's lists."""

    parameter: str
    column: Column
    match: Match
    versions: Versions = ALL

    @property
    def repeated(self) -> bool:
        """Whether it may be named several times."""
        return self.match is Match.ANY_OF or self.in_list

    @property
    def in_list(self) -> bool:
        """Whether what is asked for is an item among others of the column."""
        return self.match in {Match.HAS_ANY, Match.HAS_PAIR, Match.HAS_MEASURE}


def any_of(parameter: str, attribute: str, letters: str = "A-G", *, indexed: bool = False) -> Filter:
    """Documents whose text `attribute`, with dots on the way to it, is one of the given."""
    return Filter(parameter, _text(attribute, indexed), Match.ANY_OF, versions(letters))


def has_any(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose list `attribute` has one of the given texts."""
    return Filter(parameter, Column(attribute, (attribute,), list[str]), Match.HAS_ANY, versions(letters))


def contains(parameter: str, attribute: str) -> Filter:
    """Documents whose text `attribute` has the given one somewhere, in capitals or not: an addition of Headland's."""
    return Filter(parameter, _text(attribute, indexed=True), Match.CONTAINS)


def any_number_of(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose whole number `attribute` is one of the given."""
    return Filter(parameter, Column(attribute, (attribute,), int), Match.ANY_OF, versions(letters))


def equal(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose text `attribute`, with dots on the way to it, is the given one."""
    return Filter(parameter, _text(attribute), Match.EQUAL, versions(letters))


def has_pair(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose bag `attribute` has one of the given pairs."""
    return Filter(parameter, Column(attribute, (attribute,), list[str]), Match.HAS_PAIR, versions(letters))


def has_measure(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose measurements have one of the given units or values."""
    return Filter(parameter, Column(attribute, (attribute,), list[str]), Match.HAS_MEASURE, versions(letters))


def is_true(parameter: str, attribute: str, letters: str = "A-G") -> Filter:
    """Documents whose truth value `attribute` is the given one."""
    return Filter(parameter, Column(attribute, (attribute,), bool), Match.EQUAL, versions(letters))


def times(name: str, attribute: str, letters: str = "A-G") -> tuple[Filter, Filter]:
    """`min<name>` and `max<name>`, both inclusive."""
    return _between(name, Column(attribute, (attribute,), datetime), letters)


def measures(name: str, attribute: str, letters: str = "A-G") -> tuple[Filter, Filter]:
    """`min<name>` and `max<name>` of a Measure's value, whatever its unit."""
    return _between(name, Column(attribute, (attribute, "value"), float), letters)


def whole_numbers(name: str, attribute: str, letters: str = "A-G") -> tuple[Filter, Filter]:
    """`min<name>` and `max<name>` of a whole number."""
    return _between(name, Column(attribute, (attribute,), int), letters)


def numbers(name: str, attribute: str, letters: str = "A-G") -> tuple[Filter, Filter]:
    """`min<name>` and `max<name>` of a number."""
    return _between(name, Column(attribute, (attribute,), float), letters)


def _text(attribute: str, indexed: bool = False) -> Column:
    path = tuple(attribute.split("."))
    return Column("_".join(path), path, str, indexed)


def _between(name: str, column: Column, letters: str) -> tuple[Filter, Filter]:
    span = versions(letters)
    return (
        Filter(f"min{name}", column, Match.AT_LEAST, span),
        Filter(f"max{name}", column, Match.AT_MOST, span),
    )


#: What every family's lists take.
COMMON: tuple[Filter, ...] = (
    Filter("ids", Column("id", ("id",), str, indexed=True), Match.ANY_OF),
    Filter("names", Column("name", ("name",), str, indexed=True), Match.ANY_OF),
    has_pair("propertyFilters", "properties"),
    Filter("statuses", Column("status", ("status",), str), Match.ANY_OF),
    *times("CreatedDateTime", "created_date_time"),
    *times("LastModifiedDateTime", "modified_date_time"),
)
