"""Prescription maps, which say what a field is to be given; and the prescriptions that they consist of."""

from typing import Annotated

from headland.farm.catalogue.divisions import Division, division_family
from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import Called, Measure, PartyDocument, Text100
from headland.farm.catalogue.places import Place, listed_as, searched_as
from headland.farm.versions import versions


class PrescriptionMap(Division, kw_only=True, rename="camel", omit_defaults=True):
    """What a field is to be given, for a crop and a season."""


class Prescription(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """What a part of a field is to be given of one product."""

    prescription_map_id: str | None = None
    product_code: Text100 | None = None
    product_name: Text100 | None = None
    type: Text100 | None = None
    measurements: Annotated[dict[str, Measure] | None, Called("measures", "B")] = None
    geometry: Place = None


PRESCRIPTION_MAPS = division_family("prescription_maps", PrescriptionMap)

PRESCRIPTIONS = Family(
    "prescriptions",
    kind=Spelling("Prescription"),
    segment=Spelling("prescriptions"),
    parameter=Spelling("prescriptionId"),
    document=Prescription,
    versions=versions("B-G"),
    listed_as=listed_as("Prescription"),
    searches=searched_as("prescription"),
    own_filters=(
        any_of("prescriptionMapIds", "prescription_map_id", indexed=True),
        any_of("types", "type"),
        any_of("productCodes", "product_code"),
        any_of("productNames", "product_name"),
        any_of("sources", "source"),
    ),
    cascades=True,
    references=(Reference("prescription_map_id", "prescription_maps"),),
)
