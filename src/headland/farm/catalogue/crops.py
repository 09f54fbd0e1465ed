"""Crops, and the products (varieties, hybrids) that are sold of them."""

from typing import Annotated, Literal

from msgspec import Meta

from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.filters import any_of, has_any
from headland.farm.catalogue.members import Document, In, Measure, Text50, Text100
from headland.farm.versions import versions


class Crop(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A plant that is grown."""

    phenotype: Text100 | None = None
    breeding_method: Annotated[Literal["VARIETY", "HYBRID", "UNKNOWN"] | None, In("C-F")] = None
    measurements: Annotated[dict[str, Measure] | None, In("C-G")] = None
    location: Annotated[Text50 | None, In("G")] = None


class CropProduct(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A variety or hybrid that is sold."""

    crop_ids: (
        Annotated[
            list[str], Meta(max_length=25, description="At most 25.", extra_json_schema={"uniqueItems": True})
        ]
        | None
    ) = None
    brand: Text100 | None = None
    product: Text100 | None = None
    trait: Annotated[Text100 | None, In("C-F")] = None
    relative_maturity: Annotated[Measure | None, In("C-F")] = None
    treatments: list[str] | None = None


CROPS = Family(
    "crops",
    kind=Spelling("Crop"),
    segment=Spelling("crops"),
    parameter=Spelling("cropId"),
    document=Crop,
    own_filters=(
        any_of("phenotypes", "phenotype"),
        any_of("breedingMethods", "breeding_method", "C-G"),
    ),
)

CROP_PRODUCTS = Family(
    "crop_products",
    kind=Spelling("CropProduct"),
    segment=Spelling("crop-products"),
    parameter=Spelling("cropProductId"),
    document=CropProduct,
    versions=versions("C-G"),
    own_filters=(
        has_any("cropIds", "crop_ids"),
        any_of("brands", "brand"),
        any_of("products", "product"),
        any_of("traits", "trait", "C-F"),
    ),
)
