"""The operations of the catalogue, each made from its family's declaration."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.shape import shape_of
from headland.farm.guarded import guarded
from headland.farm.handlers import BODY_TYPES, Handlers, Surroundings
from headland.farm.nested import NestedHandlers
from headland.farm.parameters import (
    CONDITIONS,
    READ_CONDITIONS,
    api_version,
    list_parameters,
    paging_parameters,
)
from headland.farm.paths import document_path, list_path, steps_above
from headland.farm.queries import paging_name
from headland.farm.searches import search_struct
from headland.farm.versions import Version
from headland.farm.wire import list_struct
from headland.http.operations import Answer, Operation

ETAG = {"ETag": "The document's `eTag`, without quotes."}
LOCATION = {"Location": "Where the document is read."}


def catalogue_operations(version: Version, surroundings: Surroundings) -> list[Operation]:
    """Every operation of a version on the catalogue's families, by paths below an instance's address."""
    return [
        operation
        for family in FAMILIES
        if family.served and version in family.versions
        for operation in (
            *_lists(family, version, surroundings),
            *_searches(family, version, surroundings),
            *_documents(family, version, surroundings),
        )
    ]


def _lists(family: Family, version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    if any(version in search.versions and search.segment for search in family.searches):
        return
    kind = family.kind.of(version)
    act = handlers_of(family, version, surroundings).list
    action = family.action("list/action")
    answers = {200: Answer("A page.", listed_page(family, version, linked=True))}
    paths = {}
    above = steps_above(family, version)
    if family.listed_whole or not above:
        paths["list"] = (f"/{family.segment.of(version)}", f"List {kind} resources")
    if above:
        verb = "list_below" if family.listed_whole else "list"
        parent = above[-1].attribute.removesuffix("_id")
        paths[verb] = (list_path(family, version), f"List {kind} resources of one {parent}")
    for verb, (path, summary) in paths.items():
        yield Operation(
            "GET",
            path,
            guarded(f"{verb}_{family.name}", action, act, surroundings.gate),
            summary,
            answers,
            parameters=(api_version(version), *list_parameters(family, version)),
            action=action,
        )


def _searches(family: Family, version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    kind = family.kind.of(version)
    action = family.action("search/action")
    handlers = Handlers(family, version, surroundings)
    for search in family.searches:
        if version not in search.versions:
            continue
        paths = {"search": f"/{search.segment or family.segment.of(version)}"}
        if search.segment is None:
            paths["search_party"] = list_path(family, version)
        paging = () if search.paged_in_body else paging_parameters(version)
        answers = {200: Answer("A page.", listed_page(family, version, linked=search.linked))}
        if search.segment is not None and search.linked:
            yield Operation(
                "GET",
                paths["search"],
                guarded(f"follow_{family.name}", action, handlers.list, surroundings.gate),
                f"Follow the link of a page of a search of {kind} resources",
                answers,
                parameters=(api_version(version), *paging),
                addition=True,
                action=action,
            )
        for verb, path in paths.items():
            yield Operation(
                "POST",
                path,
                guarded(f"{verb}_{family.name}", action, partial(handlers.search, search), surroundings.gate),
                f"Search {kind} resources{' of one party' if verb == 'search_party' else ''}, by place, too",
                answers,
                body=search_struct(family, version, search),
                parameters=(api_version(version), *paging),
                action=action,
            )


@cache
def listed_page(family: Family, version: Version, *, linked: bool) -> type[Any]:
    """The Struct of a page of a family's documents."""
    name, token = f"{family.listed_kind.of(version)}ListResponse", paging_name("skipToken", version)
    more = (token, "nextLink") if linked else (token,)
    return list_struct(name, shape_of(family, version).listed_struct, more)


def handlers_of(family: Family, version: Version, surroundings: Surroundings) -> Handlers:
    """What does a family's operations."""
    nesting = family.nesting
    if nesting and version in nesting.versions:
        return NestedHandlers(family, nesting, version, surroundings)
    return Handlers(family, version, surroundings)


def _documents(family: Family, version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    kind, struct = family.kind.of(version), shape_of(family, version).struct
    handlers = handlers_of(family, version, surroundings)
    path = document_path(family, version)
    read, write, delete = map(family.action, ("read", "write", "delete"))
    yield Operation(
        "GET",
        path,
        guarded(f"get_{family.name}", read, handlers.get, surroundings.gate),
        f"Get a {kind} resource",
        {200: Answer("The document.", struct, ETAG), 304: Answer("It is as the caller knows it.")},
        parameters=(api_version(version), *READ_CONDITIONS),
        action=read,
    )
    if not family.has_file:
        yield Operation(
            "PATCH",
            path,
            guarded(f"write_{family.name}", write, handlers.write, surroundings.gate),
            f"Create a {kind} resource, or merge a patch into it",
            {
                200: Answer("It was there, and is updated.", struct, ETAG),
                201: Answer("It was not there, and is created.", struct, ETAG | LOCATION),
            },
            body=struct,
            media_types=BODY_TYPES,
            parameters=(api_version(version), *CONDITIONS),
            action=write,
        )
    yield Operation(
        "DELETE",
        path,
        guarded(f"delete_{family.name}", delete, handlers.delete, surroundings.gate),
        f"Delete a {kind} resource to which no other is linked",
        {204: Answer("It is not there any more.")},
        parameters=(api_version(version), *CONDITIONS),
        action=delete,
    )
