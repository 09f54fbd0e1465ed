"""The paths of a family's documents."""

from headland.farm.catalogue import Family
from headland.farm.versions import Version


def list_path(family: Family, version: Version) -> str:
    """What ids of a family's documents come after."""
    steps = [(parent.segment.of(version), parent.parameter.of(version)) for parent in family.parents]
    above = "".join(f"/{segment}/{{{parameter}}}" for segment, parameter in steps)
    return f"{above}/{family.segment.of(version)}"


def document_path(family: Family, version: Version) -> str:
    """One document's."""
    return f"{list_path(family, version)}/{{{family.parameter.of(version)}}}"
