"""What the query of a request asks for."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

import msgspec

from headland.farm.catalogue import Family
from headland.farm.catalogue.filters import Filter, Match
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents.facts import as_text, milliseconds, pair
from headland.farm.documents.pages import comparable
from headland.farm.errors import InvalidInputError, UnspecifiedVersionError, UnsupportedVersionError
from headland.farm.versions import ALL, Version, versions

SMALLEST_PAGE, USUAL_PAGE, LARGEST_PAGE = 10, 50, 1000

#: Values of one filter.
MOST_VALUES = 1000

_WITH_DOLLAR = versions("AB")
#: What stands between key and value. Looked for by itself: an expression for the whole would try each space with each.
_EQUALS = re.compile(r"(?<=\s)eq(?=\s)")

Query = Mapping[str, Sequence[str]]

#: Queries that are remembered, and how many bytes one may have for it: most requests ask what others did.
_MOST_REMEMBERED = 512
_LONGEST_REMEMBERED = 256


def query_of(query_string: bytes) -> Query:
    """Parameters and their values, decoded. Empty values count.

    Raises:
        InvalidInputError: it has more parameters than any request needs.
    """
    return _remembered(query_string) if len(query_string) <= _LONGEST_REMEMBERED else _parsed(query_string)


def _parsed(query_string: bytes) -> Query:
    try:
        return parse_qs(
            query_string.decode("latin-1"), keep_blank_values=True, max_num_fields=2 * MOST_VALUES
        )
    except ValueError:
        raise InvalidInputError(f"The query has more than {2 * MOST_VALUES} parameters.") from None


_remembered = lru_cache(_MOST_REMEMBERED)(_parsed)


def version_of(query: Query) -> Version:
    """The version that a request is made in.

    Raises:
        UnspecifiedVersionError, UnsupportedVersionError: none that is served.
    """
    given = query.get("api-version") or [""]
    if not given[0]:
        raise UnspecifiedVersionError
    try:
        version = Version(given[0])
    except ValueError:
        version = None
    if version is None or len(set(given)) > 1:
        raise UnsupportedVersionError(", ".join(given), sorted(ALL))
    return version


@dataclass(frozen=True, slots=True)
class Paging:
    """Where a page begins, and how long it may be."""

    token: str | None
    #: None where the request leaves it to the token, or to the service.
    size: int | None


def paging_name(name: str, version: Version) -> str:
    """`skipToken` or `maxPageSize`, as a version has it."""
    return f"${name}" if version in _WITH_DOLLAR else name


def paging_of(query: Query, version: Version) -> Paging:
    """Raises InvalidInputError where the size is none."""
    token, name = one(query, paging_name("skipToken", version)), paging_name("maxPageSize", version)
    size = one(query, name)
    if size is None:
        return Paging(token, None)
    wanted = whole_number(name, size)
    if not SMALLEST_PAGE <= wanted <= LARGEST_PAGE:
        raise InvalidInputError(
            f"The value {wanted} is not between {SMALLEST_PAGE} and {LARGEST_PAGE}.", name
        )
    return Paging(token, wanted)


def asked_of(query: Query, family: Family, version: Version) -> dict[str, list[Any]]:
    """The filters that are asked for, ready for `pages.page`. Unknown parameters are passed over.

    Raises:
        InvalidInputError: a value that the filter can't be held against.
    """
    asked: dict[str, list[Any]] = {}
    for each in family.filters:
        if each.parameter in query and version in each.versions:
            given = [value_of(each, text) for text in _values(query, each)]
            asked[each.parameter] = [comparable(each, said(each, family, version, value)) for value in given]
    return asked


def said(wanted: Filter, family: Family, version: Version, value: Any) -> Any:
    """What is stored where a version says `value`.

    Raises:
        InvalidInputError: it is none of the words that it may say.
    """
    words = shape_of(family, version).words(wanted.column)
    if words is None:
        return value
    usual = words.read(version, value)
    if usual is None:
        known = ", ".join(words.in_version(version))
        raise InvalidInputError(f"'{value[:80]}' is none of {known}.", wanted.parameter)
    return usual


def _values(query: Query, wanted: Filter) -> list[str]:
    name = wanted.parameter
    if not wanted.repeated:
        given = one(query, name)
        return [] if given is None else [given]
    # A public client that encodes twice sends `ids=a%26ids%3Db` (`farm.md` section 2.1).
    values = [value for each in query[name] for value in each.split(f"&{name}=")]
    if len(values) > MOST_VALUES:
        raise InvalidInputError(f"There are more than {MOST_VALUES} values.", name)
    return values


def required(query: Query, name: str) -> str:
    """A parameter's value. Raises InvalidInputError where there is none."""
    value = one(query, name)
    if not value:
        raise InvalidInputError("The parameter is required.", name)
    return value


def one(query: Query, name: str) -> str | None:
    """A parameter's only value, or None. Raises InvalidInputError where it has several."""
    given = query.get(name)
    if given is None:
        return None
    if len(given) > 1:
        raise InvalidInputError("The parameter is given more than once.", name)
    return given[0]


def value_of(wanted: Filter, text: str) -> Any:
    """What a filter's text is compared by. Raises InvalidInputError where it can't be."""
    name, kind = wanted.parameter, wanted.column.type
    if wanted.match in {Match.HAS_PAIR, Match.HAS_MEASURE}:
        found = _EQUALS.search(text)
        if found is None:
            raise InvalidInputError(f"'{text[:80]}' has not the form '{{key}} eq {{value}}'.", name)
        key, value = text[: found.start()].strip(), text[found.end() :].strip()
        return pair(*((key, value) if wanted.match is Match.HAS_PAIR else _measure(name, key, value)))
    if kind is int:
        return whole_number(name, text)
    if kind is float:
        return _number(name, text)
    if kind is datetime:
        return _moment(name, text)
    if kind is bool:
        return _truth(name, text)
    return text


def _measure(name: str, key: str, value: str) -> tuple[str, str]:
    """Of one measurement: its unit, or its value as it is kept."""
    if key.endswith(".value"):
        return key, as_text(_number(name, value))
    if key.endswith(".unit"):
        return key, value
    raise InvalidInputError(f"'{key[:80]}' ends neither in '.unit' nor in '.value'.", name)


def whole_number(name: str, text: str) -> int:
    """Raises InvalidInputError where a parameter's text is none."""
    if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) is None:
        raise InvalidInputError(f"'{text[:80]}' is not a whole number.", name)
    return int(text)


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(f"'{text[:80]}' is not a number.", name)
    return number


def _truth(name: str, text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise InvalidInputError(f"'{text[:80]}' is neither true nor false.", name)
    return text.lower() == "true"


def _moment(name: str, text: str) -> int:
    # An unencoded `+` of a zone arrives as a space.
    try:
        moment = msgspec.convert(text.replace(" ", "+"), datetime)
        return milliseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (msgspec.ValidationError, OverflowError):
        raise InvalidInputError(f"'{text[:80]}' is not a date and time as in RFC 3339.", name) from None
