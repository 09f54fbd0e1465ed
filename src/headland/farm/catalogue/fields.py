"""Fields: pieces of land, whoever grows what on them."""

from typing import Annotated

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import In, PartyDocument, ReadOnly
from headland.farm.catalogue.places import Place, listed_as, searched_as


class Field(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A piece of land."""

    farm_id: str | None = None
    primary_boundary_id: Annotated[str | None, ReadOnly, In("AB")] = None
    boundary_ids: Annotated[list[str] | None, ReadOnly, In("AB")] = None
    geometry: Place = None


FIELDS = Family(
    "fields",
    kind=Spelling("Field"),
    segment=Spelling("fields"),
    parameter=Spelling("fieldId"),
    document=Field,
    listed_as=listed_as("Field"),
    searches=searched_as("fields"),
    own_filters=(any_of("farmIds", "farm_id", indexed=True),),
    references=(Reference("farm_id", "farms"),),
    cascades=True,
)
