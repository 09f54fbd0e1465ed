"""Parties, `farmers` before 2022: whoever owns or works land. All else that has an owner is one's."""

from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.filters import contains
from headland.farm.catalogue.members import Document
from headland.farm.catalogue.parents import PARTY


class Party(Document, kw_only=True, rename="camel", omit_defaults=True):
    """Whoever owns or works land."""


PARTIES = Family(
    "parties",
    kind=Spelling("Party", {"AB": "Farmer"}),
    segment=PARTY.segment,
    parameter=PARTY.parameter,
    document=Party,
    own_filters=(contains("nameContains", "name"),),
    cascades=True,
)
