"""Farms: what a party works as one."""

from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.members import PartyDocument


class Farm(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """What a party works as one."""


FARMS = Family(
    "farms",
    kind=Spelling("Farm"),
    segment=Spelling("farms"),
    parameter=Spelling("farmId"),
    document=Farm,
    cascades=True,
)
