"""What the public service has and Headland has not: refused as such, so that nobody takes it for an absent record."""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.arrival import Arrival
from headland.farm.errors import NotServedError
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings
from headland.farm.versions import Version, versions
from headland.http.operations import Operation

#: What a right is called, by method.
_VERBS = {"GET": "read", "POST": "action", "PUT": "write", "PATCH": "write", "DELETE": "delete"}

_PARTNER = "/sensor-partners/{partner}"
_INFERENCE = "/model-inference/models"


@dataclass(frozen=True, slots=True)
class AbsentGroup:
    """A group of operations, as the public SDKs have them."""

    name: str
    #: Each with the letters of the versions that have it.
    paths: tuple[tuple[str, str], ...]


def _documents(name: str, path: str) -> AbsentGroup:
    return AbsentGroup(name, ((path, "B-G"), (f"{path}/{{id}}", "B-G")))


#: The groups of `farm.md` section 2.4 that are not in the catalogue.
ABSENT = (
    _documents("DeviceDataModels", f"{_PARTNER}/device-data-models"),
    _documents("Devices", f"{_PARTNER}/devices"),
    AbsentGroup("FarmOperations", (("/farm-operations/ingest-data/{job}", "A-G"),)),
    AbsentGroup(
        "ModelInference",
        (
            (f"{_INFERENCE}/microsoft-biomass/infer-data/{{job}}", "B-F"),
            (f"{_INFERENCE}/microsoft-sensor-placement/infer-data/{{job}}", "C-F"),
            (f"{_INFERENCE}/microsoft-soil-moisture/infer-data/{{job}}", "B-F"),
        ),
    ),
    AbsentGroup(
        "OAuthProviders",
        (
            ("/oauth/providers", "A-G"),
            ("/oauth/providers/{id}", "A-G"),
            ("/oauth/providers/cascade-delete/{job}", "A-G"),
        ),
    ),
    AbsentGroup(
        "OAuthTokens",
        (("/oauth/tokens", "A-G"), ("/oauth/tokens/:connect", "A-G"), ("/oauth/tokens/remove/{job}", "A-G")),
    ),
    AbsentGroup(
        "Scenes",
        (
            ("/scenes", "A-G"),
            ("/scenes/downloadFiles", "A-G"),
            ("/scenes/satellite/ingest-data/{job}", "A-G"),
            ("/scenes/stac-collections/{search}", "C-G"),
            ("/scenes/stac-collections/{collection}/features/{feature}", "CD"),
        ),
    ),
    _documents("SensorDataModels", f"{_PARTNER}/sensor-data-models"),
    AbsentGroup("SensorEvents", (("/sensor-events", "B-G"),)),
    _documents("SensorMappings", "/sensor-mappings"),
    AbsentGroup(
        "SensorPartnerIntegrations",
        (
            (f"{_PARTNER}/integrations", "B-G"),
            (f"{_PARTNER}/integrations/{{id}}", "B-G"),
            (f"{_PARTNER}/integrations/{{id}}/:check-consent", "B-G"),
            (f"{_PARTNER}/integrations/{{id}}/:generate-consent-link", "B-G"),
        ),
    ),
    AbsentGroup(
        "Sensors",
        (
            (f"{_PARTNER}/sensors", "B-G"),
            (f"{_PARTNER}/sensors/{{id}}", "B-G"),
            (f"{_PARTNER}/sensors/{{id}}/connection-strings", "B-G"),
            (f"{_PARTNER}/sensors/{{id}}/connection-strings/:renew", "B-G"),
        ),
    ),
    AbsentGroup("SolutionInference", (("/solutions/{action}", "B-G"),)),
    AbsentGroup(
        "Weather",
        (("/weather", "A-E"), ("/weather/delete-data/{job}", "A-E"), ("/weather/ingest-data/{job}", "A-E")),
    ),
    AbsentGroup("WeatherData", (("/weather-data/:fetch", "C-E"), ("/weather-data:fetch", "FG"))),
)


def absent_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """Refusals of what a version of the public service has. They are no operations of Headland's: no description has
    them.
    """
    for group in ABSENT:
        for path, letters in group.paths:
            if version in versions(letters):
                for method, verb in _VERBS.items():
                    yield _refused(group.name, method, path, verb, surroundings)


def _refused(group: str, method: str, path: str, verb: str, surroundings: Surroundings) -> Operation:
    async def refuse(_request: Request, _arrival: Arrival, _visit: Visit) -> Response:
        raise NotServedError(group)

    action = f"Microsoft.AgFoodPlatform/farmBeats/{group[0].lower()}{group[1:]}/{verb}"
    return Operation(method, path, guarded("refuse", action, refuse, surroundings.gate), group, {})
