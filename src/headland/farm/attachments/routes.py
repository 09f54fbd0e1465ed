"""The operations on documents that have a file, where they are not those of all documents."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from headland.farm.attachments.handlers import FileHandlers
from headland.farm.attachments.restoring import FileRestoring
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.family import FILE_NAME
from headland.farm.catalogue.shape import shape_of
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings
from headland.farm.parameters import CONDITIONS, api_version
from headland.farm.paths import document_path, file_path
from headland.farm.routes import ETAG, LOCATION
from headland.farm.versions import Version, versions
from headland.farm.wire import ErrorResponse
from headland.http.forms import MULTIPART
from headland.http.operations import Answer, Operation, Parameter

_FILE_HEADERS = {
    "Accept-Ranges": "`bytes`",
    "Content-Disposition": "The file's original name.",
    "ETag": "Of the file's bytes.",
    "Repr-Digest": "Its SHA-256 (RFC 9530).",
}
_PART = {"Content-Range": "Which bytes, and of how many."}
_RANGE = (
    Parameter(
        "Range",
        str,
        "`bytes=<first>-<last>`, `bytes=<first>-` or `bytes=-<count>` (RFC 9110); several are answered by the whole.",
        place="header",
    ),
    Parameter("If-Range", str, "Only if the file still has this ETag; else the whole.", place="header"),
)
_DIGEST = Parameter(
    "Repr-Digest",
    str,
    "The file's SHA-256 (RFC 9530): nothing is done where what arrives has another.",
    place="header",
)
_CAPITALS = versions("AB")
_Binary = Annotated[str, Meta(description="The file.", extra_json_schema={"format": "binary"})]


def file_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """Every operation of a version, by paths below an instance's address."""
    for family in FAMILIES:
        if family.has_file and version in family.versions:
            yield from _operations(family, version, surroundings)


def _operations(family: Family, version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    kind, struct = family.kind.of(version), shape_of(family, version).struct
    of = (family, version, surroundings)
    handlers = FileHandlers(*of)
    path = document_path(family, version)
    write, download, restore = map(family.action, ("write", "download/action", "restore"))
    yield Operation(
        "PATCH",
        path,
        guarded(f"write_{family.name}", write, handlers.write, surroundings.gate),
        f"Create a {kind} resource with its file, or change what is sent of it",
        {
            200: Answer("It was there, and is updated.", struct, ETAG),
            201: Answer("It was not there, and is created.", struct, ETAG | LOCATION),
        },
        body=_form(family, version),
        media_types=(MULTIPART,),
        parameters=(api_version(version), *CONDITIONS),
        action=write,
    )
    yield Operation(
        "GET",
        file_path(family, version),
        guarded(f"download_{family.name}", download, handlers.download, surroundings.gate),
        f"Get the file of a {kind} resource",
        {
            200: Answer("The file.", "application/octet-stream", _FILE_HEADERS),
            206: Answer("The part of it.", "application/octet-stream", _FILE_HEADERS | _PART),
            416: Answer("No part of it lies in the range.", ErrorResponse, _PART),
        },
        parameters=(api_version(version), *_RANGE),
        action=download,
    )
    yield Operation(
        "PUT",
        file_path(family, version),
        guarded(f"restore_file_of_{family.name}", restore, FileRestoring(*of).restore, surroundings.gate),
        f"Bring back the file of a {kind} resource, which stays as it is, stamps included",
        {204: Answer("It is there.")},
        body=bytes,
        media_types=("application/octet-stream",),
        parameters=(api_version(version), _DIGEST),
        addition=True,
        action=restore,
    )


@cache
def _form(family: Family, version: Version) -> type[Any]:
    """What may be sent: the file, and the members that clients write."""
    shape = shape_of(family, version)
    members = [m for m in shape.members if not m.read_only or m.attribute == FILE_NAME]
    return msgspec.defstruct(
        f"{family.kind.of(version)}Form",
        [("file", _Binary | None, None), *((m.attribute, m.type_in(version) | None, None) for m in members)],
        rename={m.attribute: _part_name(shape.names[m.attribute], version) for m in members},
        module=family.document.__module__,
        namespace={"__doc__": "A form; what is not sent stays as it is."},
    )


def _part_name(member: str, version: Version) -> str:
    """The earliest versions write all but one with a capital; any version's names are taken in either case."""
    return member if version not in _CAPITALS or member == "insightId" else member[:1].upper() + member[1:]
