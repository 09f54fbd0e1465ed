"""Insight attachments: a file that belongs to an insight. They lie where insights do."""

from typing import Annotated

from msgspec import Meta

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.insights import INSIGHTS, RESOURCE_TYPES
from headland.farm.catalogue.members import In, PartyDocument, Properties, ReadOnly
from headland.farm.versions import versions


class InsightAttachment(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A file that belongs to an insight."""

    properties: Annotated[Properties | None, In("")] = None
    insight_id: Annotated[str, Meta(min_length=1)]
    model_id: Annotated[str | None, ReadOnly] = None
    resource_type: Annotated[str | None, ReadOnly, RESOURCE_TYPES] = None
    resource_id: Annotated[str | None, ReadOnly] = None
    original_file_name: Annotated[str | None, ReadOnly] = None


INSIGHT_ATTACHMENTS = Family(
    "insight_attachments",
    kind=Spelling("InsightAttachment"),
    segment=Spelling("insight-attachments"),
    parameter=Spelling("insightAttachmentId"),
    document=InsightAttachment,
    versions=versions("B-G"),
    own_filters=(any_of("insightIds", "insight_id", indexed=True),),
    references=(Reference("insight_id", INSIGHTS.name, required=True),),
    below=INSIGHTS.below,
    listed_whole=False,
    has_file=True,
)
