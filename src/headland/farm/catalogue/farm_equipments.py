"""Farm equipment: machines and what is hung on them."""

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, has_any
from headland.farm.catalogue.members import Document, Ids
from headland.farm.catalogue.records import Company, RecordReference
from headland.farm.versions import versions


class FarmEquipment(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A machine, or what is hung on one."""

    crop_ids: Ids | None = None
    reference: RecordReference | None = None
    brand: str | None = None
    series: str | None = None
    model: str | None = None
    serial: str | None = None
    type: str | None = None
    ownership: str | None = None
    location: str | None = None
    company: Company | None = None


FARM_EQUIPMENTS = Family(
    "farm_equipments",
    kind=Spelling("FarmEquipment"),
    segment=Spelling("farm-equipments"),
    parameter=Spelling("farmEquipmentId"),
    document=FarmEquipment,
    versions=versions("G"),
    own_filters=(
        has_any("cropIds", "crop_ids"),
        any_of("brands", "brand"),
        any_of("equipmentSeries", "series"),
        any_of("models", "model"),
        any_of("serial", "serial"),
        any_of("types", "type"),
        any_of("ownership", "ownership"),
        any_of("locations", "location"),
        any_of("companyNames", "company.name"),
        any_of("referenceDatasetIds", "reference.dataset_id"),
        any_of("referenceRecordIds", "reference.record_id"),
    ),
    references=(Reference("crop_ids", "crops", several=True),),
)
