"""Seasons: spans of time by which crops are told apart, the same for all parties."""

from typing import Annotated

from msgspec import Meta

from headland.farm.catalogue.family import Family, Spelling
from headland.farm.catalogue.filters import any_number_of, times
from headland.farm.catalogue.members import Document, In, Int32, Moment

_Year = Annotated[Int32, Meta(description="Of the season's end.")]


class Season(Document, kw_only=True, rename="camel", omit_defaults=True):
    """A span of time."""

    start_date_time: Moment | None = None
    end_date_time: Moment | None = None
    year: _Year | None = None
    geographic_identifier: Annotated[str | None, In("C-G")] = None


SEASONS = Family(
    "seasons",
    kind=Spelling("Season"),
    segment=Spelling("seasons"),
    parameter=Spelling("seasonId"),
    document=Season,
    own_filters=(
        *times("StartDateTime", "start_date_time"),
        *times("EndDateTime", "end_date_time"),
        any_number_of("years", "year"),
    ),
)
