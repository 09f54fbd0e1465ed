"""Where documents are: the latest versions say it in each document itself, the earlier ones in its boundaries."""

from typing import Annotated

from headland.farm.catalogue.members import Apart, In
from headland.farm.catalogue.searching import Search
from headland.farm.catalogue.words import Spelling
from headland.farm.geometry import Geometry
from headland.farm.versions import versions

Place = Annotated[Geometry | None, In("FG"), Apart("FG")]


def listed_as(kind: str) -> Spelling:
    """What one is called in lists: where documents have a place, lists leave it out."""
    return Spelling(kind, {"FG": f"{kind}MetaData"})


def searched_as(segment: str) -> tuple[Search, ...]:
    """The search that has taken the place of lists in the latest versions."""
    path = f"{segment}:search"
    return (Search(versions("F"), path, linked=False), Search(versions("G"), path))
