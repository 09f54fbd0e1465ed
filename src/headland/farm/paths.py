"""The paths of a family's documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from headland.farm.catalogue import Family
from headland.farm.catalogue.family import FILE_NAME
from headland.farm.catalogue.parents import Parent
from headland.farm.catalogue.shape import shape_of
from headland.farm.versions import Version


def steps_above(family: Family, version: Version) -> Sequence[Parent]:
    """What a family's documents lie below."""
    nesting = family.nesting
    return (*family.parents, nesting.parent) if nesting and version in nesting.versions else family.parents


def list_path(family: Family, version: Version) -> str:
    """What ids of a family's documents come after."""
    steps = [(each.segment.of(version), each.parameter.of(version)) for each in steps_above(family, version)]
    above = "".join(f"/{segment}/{{{parameter}}}" for segment, parameter in steps)
    return f"{above}/{family.segment.of(version)}"


def document_path(family: Family, version: Version) -> str:
    """One document's."""
    return f"{list_path(family, version)}/{{{family.parameter.of(version)}}}"


def file_path(family: Family, version: Version) -> str:
    """Of a document's file."""
    return f"{document_path(family, version)}/file"


def file_address(family: Family, version: Version, document: Mapping[str, Any]) -> str:
    """Where below an instance's address the file of a document is. Ids need no encoding."""
    names = shape_of(family, version).names
    ids = {parent.parameter.of(version): document[names[parent.attribute]] for parent in family.parents}
    own = {family.parameter.of(version): document[names["id"]]}
    return file_path(family, version).format_map(ids | own).removeprefix("/")


def file_name(family: Family, version: Version, document: Mapping[str, Any]) -> str:
    """What the file of a document is called; by the document's id where nobody has said it."""
    names = shape_of(family, version).names
    return str(document.get(names[FILE_NAME]) or document[names["id"]])
