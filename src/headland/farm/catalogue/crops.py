"""Crops, and the products (varieties, hybrids) that are sold of them: `crop varieties` before 2022."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, has_any
from headland.farm.catalogue.members import (
    Called,
    Document,
    Ids,
    In,
    Measure,
    ReadOnly,
    Text50,
    Text100,
)
from headland.farm.catalogue.mirrors import Mirror
from headland.farm.catalogue.nesting import Nesting
from headland.farm.catalogue.parents import Parent
from headland.farm.catalogue.records import Company, RecordReference
from headland.farm.catalogue.words import one_of
from headland.farm.versions import versions


class RelativeMaturityMeasure(Struct, rename="camel", omit_defaults=True):
    """How early a crop is ripe, and by which method that was found."""

    unit: Annotated[str, Meta(min_length=1, max_length=50)] | None = None
    value: float | None = None
    method: Annotated[str, Meta(min_length=1, max_length=50)] | None = None


class Crop(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A plant that is grown."""

    phenotype: Text100 | None = None
    breeding_method: Annotated[
        str | None, In("C-G"), one_of("VARIETY", "HYBRID", "UNKNOWN", letters="C-F")
    ] = None
    measurements: Annotated[dict[str, Measure] | None, In("C-G")] = None
    reference: Annotated[RecordReference | None, In("G")] = None
    location: Annotated[Text50 | None, In("G")] = None


class CropProduct(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A variety or hybrid that is sold."""

    crop_id: Annotated[str | None, ReadOnly, In("A")] = None
    crop_ids: Annotated[Ids | None, In("B-G")] = None
    brand: Text100 | None = None
    product: Text100 | None = None
    trait: Annotated[Text100 | None, In("C-G"), Called("traits", "G")] = None
    trait_stack: Annotated[Text100 | None, In("G")] = None
    relative_maturity: Annotated[Measure | None, In("C-F")] = None
    relative_maturity_by_method: Annotated[
        RelativeMaturityMeasure | None, In("G"), Called("relativeMaturity", "G")
    ] = None
    treatments: Annotated[list[str] | None, In("C-G")] = None
    reference: Annotated[RecordReference | None, In("G")] = None
    location: Annotated[Text100 | None, In("G")] = None
    company: Annotated[Company | None, In("G")] = None


CROPS = Family(
    "crops",
    kind=Spelling("Crop"),
    segment=Spelling("crops"),
    parameter=Spelling("cropId"),
    document=Crop,
    own_filters=(
        any_of("phenotypes", "phenotype"),
        any_of("breedingMethods", "breeding_method", "C-G"),
        any_of("locations", "location", "G"),
        any_of("referenceDatasetIds", "reference.dataset_id", "G"),
        any_of("referenceRecordIds", "reference.record_id", "G"),
    ),
)

CROP_PRODUCTS = Family(
    "crop_products",
    kind=Spelling("CropProduct", {"AB": "CropVariety"}),
    segment=Spelling("crop-products", {"AB": "crop-varieties"}),
    parameter=Spelling("cropProductId", {"AB": "cropVarietyId"}),
    document=CropProduct,
    own_filters=(
        has_any("cropIds", "crop_ids"),
        any_of("brands", "brand"),
        any_of("products", "product"),
        has_any("treatments", "treatments", "G"),
        any_of("traits", "trait", "C-G"),
        any_of("traitStacks", "trait_stack", "G"),
        any_of("locations", "location", "G"),
        any_of("companyNames", "company.name", "G"),
        any_of("referenceDatasetIds", "reference.dataset_id", "G"),
        any_of("referenceRecordIds", "reference.record_id", "G"),
    ),
    mirrors=(
        Mirror(("relative_maturity", "relative_maturity_by_method"), common=frozenset({"unit", "value"})),
    ),
    references=(Reference("crop_ids", CROPS.name, several=True),),
    nesting=Nesting(
        Parent(CROPS.segment, CROPS.parameter, "crop_id", CROPS.name),
        "crop_ids",
        has_any("cropId", "crop_ids", ""),
        versions("A"),
    ),
)
