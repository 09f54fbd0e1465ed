"""Chemical products: what protects or feeds crops."""

from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.filters import any_of, has_any, whole_numbers
from headland.farm.catalogue.members import Document, Ids, Int32
from headland.farm.catalogue.records import Company, RecordReference
from headland.farm.versions import versions


class ChemicalProduct(Document, kw_only=True, rename="camel", omit_defaults=True):
    """What protects or feeds crops."""

    crop_ids: Ids | None = None
    reference: RecordReference | None = None
    brand: str | None = None
    product: str | None = None
    type: str | None = None
    state: str | None = None
    active_ingredients: list[str] | None = None
    specific_gravity: str | None = None
    formulation: str | None = None
    company: Company | None = None
    location: str | None = None
    registration_number: str | None = None
    re_entry_interval: Int32 | None = None


CHEMICAL_PRODUCTS = Family(
    "chemical_products",
    kind=Spelling("ChemicalProduct"),
    segment=Spelling("chemical-products"),
    parameter=Spelling("chemicalProductId"),
    document=ChemicalProduct,
    versions=versions("G"),
    own_filters=(
        has_any("cropIds", "crop_ids"),
        any_of("brands", "brand"),
        any_of("products", "product"),
        any_of("types", "type"),
        any_of("states", "state"),
        has_any("activeIngredients", "active_ingredients"),
        any_of("specificGravity", "specific_gravity"),
        any_of("formulation", "formulation"),
        any_of("registrationNumber", "registration_number"),
        *whole_numbers("ReEntryInterval", "re_entry_interval"),
        any_of("locations", "location"),
        any_of("companyNames", "company.name"),
        any_of("datasetIds", "reference.dataset_id"),
        any_of("referenceRecordIds", "reference.record_id"),
    ),
)
