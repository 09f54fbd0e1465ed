"""Datasets, which say what records look like; their records; and who was given access to them."""

from typing import Annotated, Any

from msgspec import Meta

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, equal, has_pair
from headland.farm.catalogue.members import Document, ReadOnly
from headland.farm.catalogue.parents import Parent
from headland.farm.catalogue.words import one_of
from headland.farm.versions import versions


class Dataset(Document, kw_only=True, rename="camel", omit_defaults=True):
    """Records of one form."""

    type: Annotated[str | None, one_of("Crop", "CropProduct", "ChemicalProduct", "FarmEquipment")] = None
    records_schema: Annotated[dict[str, Any], Meta(description="JSON Schema of each record.")] | None = None
    solution_id: Annotated[str | None, ReadOnly] = None


class DatasetRecord(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A record of a dataset."""

    dataset_id: Annotated[str | None, ReadOnly] = None
    record: dict[str, Any] | None = None


class DatasetAccess(Document, kw_only=True, rename="camel", omit_defaults=True):
    """That somebody may read a dataset."""

    dataset_id: Annotated[str | None, ReadOnly] = None
    subscription_id: Annotated[str, Meta(min_length=2, max_length=100)] | None = None
    resource_id: Annotated[str, Meta(min_length=2, max_length=200)] | None = None


DATASETS = Family(
    "datasets",
    kind=Spelling("Dataset"),
    segment=Spelling("datasets"),
    parameter=Spelling("datasetId"),
    document=Dataset,
    versions=versions("G"),
    own_filters=(equal("type", "type"),),
    schema="records_schema",
)

_DATASET = Parent(DATASETS.segment, DATASETS.parameter, "dataset_id", DATASETS.name)

DATASET_RECORDS = Family(
    "dataset_records",
    kind=Spelling("DatasetRecord"),
    segment=Spelling("records"),
    parameter=Spelling("recordId"),
    document=DatasetRecord,
    versions=versions("G"),
    own_filters=(has_pair("recordFilters", "record"),),
    references=(Reference("dataset_id", "datasets"),),
    below=(_DATASET,),
    listed_whole=False,
    held_to=("record", DATASETS),
)

#: Ids are made of what is given: nobody is given access twice.
DATASET_ACCESSES = Family(
    "dataset_accesses",
    kind=Spelling("DatasetAccess"),
    segment=Spelling("access"),
    parameter=Spelling("accessId"),
    document=DatasetAccess,
    versions=versions("G"),
    own_filters=(any_of("subscriptionIds", "subscription_id"), any_of("resourceIds", "resource_id")),
    references=(Reference("dataset_id", "datasets"),),
    below=(_DATASET,),
    listed_whole=False,
    served=False,
)
