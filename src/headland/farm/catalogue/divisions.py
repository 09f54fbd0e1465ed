"""What management zones and prescription maps have in common: a field is divided, for a crop and a season."""

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import PartyDocument, Text100
from headland.farm.versions import versions


class Division(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A division of a field."""

    type: Text100 | None = None
    season_id: str | None = None
    crop_id: str | None = None
    field_id: str | None = None


def division_family(name: str, document: type[Division]) -> Family:
    """The family of one kind: `name` is in the plural, with words apart by underlines."""
    kind = document.__name__
    return Family(
        name,
        kind=Spelling(kind),
        segment=Spelling(name.replace("_", "-")),
        parameter=Spelling(f"{kind[0].lower()}{kind[1:]}Id"),
        document=document,
        versions=versions("B-G"),
        own_filters=(
            any_of("types", "type"),
            any_of("cropIds", "crop_id", indexed=True),
            any_of("seasonIds", "season_id", indexed=True),
            any_of("fieldIds", "field_id", indexed=True),
            any_of("sources", "source"),
        ),
        cascades=True,
        references=(
            Reference("field_id", "fields"),
            Reference("season_id", "seasons"),
            Reference("crop_id", "crops"),
        ),
    )
