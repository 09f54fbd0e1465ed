"""What a driver's output tells of the application, in Spark's own words at its default log level."""

import re
from dataclasses import dataclass

_APP_ID = re.compile(r"Connected to Spark cluster with app ID (\S+)")
_UI_PORT = re.compile(r"Successfully started service 'SparkUI' on port (\d+)")

#: Bytes from the beginning within which Spark says it.
SAID_WITHIN = 1 << 17


@dataclass(frozen=True, slots=True)
class DriverFacts:
    """None for what was not said."""

    app_id: str | None = None
    ui_port: int | None = None

    def ui_url(self, host: str | None) -> str | None:
        """The UI's address, if there is one, of a driver on `host`."""
        return f"http://{host}:{self.ui_port}" if host and self.ui_port else None


def driver_facts(output: str) -> DriverFacts:
    """Facts from the beginning of a driver's output."""
    app_id, port = _APP_ID.search(output), _UI_PORT.search(output)
    return DriverFacts(app_id[1] if app_id else None, int(port[1]) if port else None)
