"""What a driver's output tells of the application, in Spark's own words at its default log level."""

import re
from dataclasses import dataclass

_APP_ID = re.compile(r"Connected to Spark cluster with app ID (\S+)")
_UI = re.compile(r"Bound SparkUI to \S+, and started at (https?://\S+)")

#: Bytes from the beginning within which Spark says it.
SAID_WITHIN = 1 << 17


@dataclass(frozen=True, slots=True)
class DriverFacts:
    """None for what was not said."""

    app_id: str | None = None
    spark_ui_url: str | None = None


def driver_facts(output: str) -> DriverFacts:
    """Facts from the beginning of a driver's output."""
    app_id, ui = _APP_ID.search(output), _UI.search(output)
    return DriverFacts(app_id[1] if app_id else None, ui[1] if ui else None)
