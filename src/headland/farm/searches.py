"""What the body of a search asks for."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from headland.farm.catalogue import Family
from headland.farm.catalogue.filters import Filter
from headland.farm.catalogue.members import Moment
from headland.farm.catalogue.parents import PARTY
from headland.farm.catalogue.searching import Search
from headland.farm.documents.facts import milliseconds
from headland.farm.documents.pages import comparable
from headland.farm.errors import InvalidInputError
from headland.farm.geometry import Geometry, Limits
from headland.farm.geometry.reading import MOST_SEARCHED_BY
from headland.farm.geometry.seeking import Sought
from headland.farm.queries import (
    LARGEST_PAGE,
    MOST_VALUES,
    SMALLEST_PAGE,
    Paging,
    paging_name,
    said,
    value_of,
)
from headland.farm.versions import Version
from headland.http.validation import BodyInvalidError, decode_json

#: The member that has the geometry, and how large that may be.
SOUGHT = "intersectsWithGeometry"
SEARCHED_BY = Limits(MOST_SEARCHED_BY)


class Searched(NamedTuple):
    """A search, ready for `pages.page`."""

    asked: Mapping[str, list[Any]]
    #: Which has yet to be checked.
    geometry: Geometry | None
    #: Only what is this party's, where the path names none.
    party: str | None
    paging: Paging
    #: The geometry, when it is checked.
    sought: Sought | None = None


def search_of(body: bytes, family: Family, version: Version, search: Search) -> Searched:
    """What a body asks for. Unknown members are passed over, and null is nothing asked for.

    Raises:
        BodyInvalidError, InvalidInputError: a value that the filter can't be held against.
    """
    wanted = _decoded(body, family, version, search)
    asked: dict[str, list[Any]] = {}
    for each in family.filters:
        value = getattr(wanted, each.parameter, None)
        if version in each.versions and value is not None and value != []:
            values = value if each.repeated else [value]
            if len(values) > MOST_VALUES:
                raise InvalidInputError(f"There are more than {MOST_VALUES} values.", each.parameter)
            given = [_plain(each, one) for one in values]
            asked[each.parameter] = [comparable(each, said(each, family, version, one)) for one in given]
    size, token = getattr(wanted, "max_page_size", None), getattr(wanted, "skip_token", None)
    return Searched(asked, getattr(wanted, SOUGHT), getattr(wanted, "party_id", None), Paging(token, size))


def _decoded(body: bytes, family: Family, version: Version, search: Search) -> Any:
    try:
        return _decoder(family, version, search).decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # Once more, to be told in words.
        return decode_json(body, search_struct(family, version, search))


@cache
def _decoder(family: Family, version: Version, search: Search) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(search_struct(family, version, search))


def _plain(wanted: Filter, value: Any) -> Any:
    """A value as the query of a list would give it."""
    match value:
        case str():
            return value_of(wanted, value)
        case datetime():
            try:
                return milliseconds(value if value.tzinfo else value.replace(tzinfo=UTC))
            except OverflowError:
                raise BodyInvalidError(wanted.parameter, "is beyond the years 1 to 9999") from None
        case _:
            return value


@cache
def search_struct(family: Family, version: Version, search: Search) -> type[Struct]:
    """The body of a search."""
    fields: list[tuple[str, Any, None]] = [
        (each.parameter, _type(each) | None, None) for each in family.filters if version in each.versions
    ]
    renamed = {}
    if search.paged_in_body:
        fields.append(("max_page_size", Annotated[int, Meta(ge=SMALLEST_PAGE, le=LARGEST_PAGE)] | None, None))
        fields.append(("skip_token", str | None, None))
        renamed["max_page_size"] = paging_name("maxPageSize", version)
        renamed["skip_token"] = paging_name("skipToken", version)
    if search.segment is not None:
        fields.append(("party_id", str | None, None))
        renamed["party_id"] = PARTY.parameter.of(version)
    fields.append((SOUGHT, Geometry | None, None))
    return msgspec.defstruct(
        f"Search{family.kind.of(version)}Query",
        fields,
        rename=renamed,
        omit_defaults=True,
        module=family.document.__module__,
        namespace={"__doc__": "Filters, of which all must hold, and a geometry to be met."},
    )


def _type(each: Filter) -> Any:
    kinds: dict[Any, Any] = {float: float, int: int, bool: bool, datetime: Moment}
    kind: Any = kinds.get(each.column.type, str)
    return list[kind] if each.repeated else kind
