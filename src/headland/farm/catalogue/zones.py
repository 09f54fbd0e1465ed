"""Management zones, divisions of fields to be treated alike; and the zones that they consist of."""

from headland.farm.catalogue.divisions import Division, division_family
from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import PartyDocument, Text100
from headland.farm.catalogue.places import Place, listed_as, searched_as
from headland.farm.versions import versions


class ManagementZone(Division, kw_only=True, rename="camel", omit_defaults=True):
    """A division of a field, for a crop and a season."""


class Zone(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A part of a division."""

    type: Text100 | None = None
    management_zone_id: str | None = None
    geometry: Place = None


MANAGEMENT_ZONES = division_family("management_zones", ManagementZone)

ZONES = Family(
    "zones",
    kind=Spelling("Zone"),
    segment=Spelling("zones"),
    parameter=Spelling("zoneId"),
    document=Zone,
    versions=versions("B-G"),
    listed_as=listed_as("Zone"),
    searches=searched_as("zone"),
    own_filters=(
        any_of("types", "type"),
        any_of("managementZoneIds", "management_zone_id", indexed=True),
        any_of("sources", "source"),
    ),
    cascades=True,
    references=(Reference("management_zone_id", "management_zones"),),
)
