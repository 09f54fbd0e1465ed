"""What products and equipment say of where they are recorded, and of who makes them."""

from msgspec import Struct

from headland.farm.catalogue.members import Text100


class RecordReference(Struct, rename="camel", omit_defaults=True):
    """A record of a dataset."""

    dataset_id: Text100 | None = None
    record_id: Text100 | None = None


class Company(Struct, rename="camel", omit_defaults=True):
    """A maker."""

    name: str | None = None
    description: str | None = None
    registration_number: str | None = None
