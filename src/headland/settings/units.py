"""Types that settings share: numbers with their bounds and units."""

from typing import Annotated

from msgspec import Meta

Port = Annotated[int, Meta(ge=1, le=65535)]
Seconds = Annotated[float, Meta(gt=0, extra_json_schema={"x-unit": "seconds"})]
Count = Annotated[int, Meta(ge=1)]
Whole = Annotated[int, Meta(ge=0)]
Bytes = Annotated[int, Meta(ge=1, extra_json_schema={"x-unit": "bytes"})]
