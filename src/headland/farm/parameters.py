"""Query parameters and headers, for descriptions of the API."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from headland.farm.catalogue import Family
from headland.farm.catalogue.filters import Filter, Match
from headland.farm.catalogue.members import Moment
from headland.farm.catalogue.shape import shape_of
from headland.farm.queries import LARGEST_PAGE, SMALLEST_PAGE, USUAL_PAGE, paging_name
from headland.farm.versions import Version
from headland.http.operations import Parameter


def api_version(version: Version) -> Parameter:
    """What names the version of an operation."""
    return Parameter("api-version", Literal[version.value], "The version of the protocol.", required=True)


_IF_MATCH = Parameter(
    "If-Match", str, "Only if the document has one of these eTags; `*` for any.", place="header"
)
READ_CONDITIONS = (
    _IF_MATCH,
    Parameter("If-None-Match", str, "304 if the document has one of these eTags.", place="header"),
)
CONDITIONS = (
    _IF_MATCH,
    Parameter(
        "If-None-Match", str, "Not if the document has one of these; `*`: not if it exists.", place="header"
    ),
)

_WORDS = {
    Match.ANY_OF: "with one of these",
    Match.HAS_ANY: "that have one of these",
    Match.HAS_PAIR: "with one of these pairs, each as `{key} eq {value}`",
    Match.HAS_MEASURE: "with one of these, each as `{key}.unit eq {text}` or `{key}.value eq {number}`",
    Match.EQUAL: "with this",
    Match.CONTAINS: "that have this somewhere, in capitals or not (an addition)",
    Match.AT_LEAST: "with at least this",
    Match.AT_MOST: "with at most this",
}


def list_parameters(family: Family, version: Version) -> tuple[Parameter, ...]:
    """What a family's lists take in one version."""
    filters = (_parameter(each, family, version) for each in family.filters if version in each.versions)
    return (*filters, *paging_parameters(version))


def paging_parameters(version: Version) -> tuple[Parameter, ...]:
    """Where a page begins, and how long it is."""
    size = Annotated[int, Meta(ge=SMALLEST_PAGE, le=LARGEST_PAGE)]
    return (
        Parameter(
            paging_name("maxPageSize", version), size, f"Most resources of a page; {USUAL_PAGE} if not said."
        ),
        Parameter(
            paging_name("skipToken", version),
            str,
            "Of the page before. It has the filters; others are not looked at.",
        ),
    )


def _parameter(each: Filter, family: Family, version: Version) -> Parameter:
    name = each.column.name.replace("_", " ")
    kind: Any = {float: float, int: int, bool: bool, datetime: Moment}.get(each.column.type, str)
    words = shape_of(family, version).words(each.column)
    if words is not None and version in words.versions:
        kind = Literal[tuple(words.in_version(version))]
    return Parameter(
        each.parameter, list[kind] if each.repeated else kind, f"Only those {_WORDS[each.match]}: {name}."
    )
