"""Documents that one version has below another one, and all others beside it."""

from dataclasses import dataclass

from headland.farm.catalogue.filters import Filter
from headland.farm.catalogue.parents import Parent
from headland.farm.versions import Versions


@dataclass(frozen=True)
class Nesting:
    """The other ones are in a list of each document. It lies below each of them."""

    #: `attribute` is the member that has the id of the one that a document is seen below.
    parent: Parent
    #: The list of all.
    attribute: str
    #: Those below one; no parameter of any version.
    filter: Filter
    #: Those that have it so.
    versions: Versions
