"""Call groups that Headland has not by azure-agrifood-farming; what was seen is printed as JSON."""

import json
from typing import Any

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options, refused

asked: list[int] = []
client: Any = FarmBeatsClient(
    endpoint=ENDPOINT,
    credential=ClientSecretCredential(**credential_options("admin")),
    raw_response_hook=lambda response: asked.append(response.http_response.status_code),
)
calls = {
    "device_data_models": lambda: client.device_data_models.get("p1", "x1"),
    "devices": lambda: client.devices.get("p1", "x1"),
    "farm_operations": lambda: client.farm_operations.get_data_ingestion_job_details("j1"),
    "model_inference": lambda: client.model_inference.get_biomass_model_job("j1"),
    "oauth_providers": lambda: client.oauth_providers.get("JOHNDEERE"),
    "oauth_tokens": lambda: list(client.oauth_tokens.list()),
    "scenes": lambda: client.scenes.get_satellite_data_ingestion_job_details("j1"),
    "sensor_data_models": lambda: client.sensor_data_models.get("p1", "x1"),
    "sensor_events": lambda: client.sensor_events.list(sensor_id="x1", sensor_partner_id="p1"),
    "sensor_mappings": lambda: client.sensor_mappings.get("x1"),
    "sensor_partner_integrations": lambda: client.sensor_partner_integrations.get("p1", "x1"),
    "sensors": lambda: client.sensors.get("p1", "x1"),
    "solution_inference": lambda: client.solution_inference.fetch("bayerAgPowered.cwum", {}),
    "weather": lambda: client.weather.get_data_ingestion_job_details("j1"),
    "weather_data": lambda: client.weather_data.get({}),
}
seen: dict[str, Any] = {}
for name, call in calls.items():
    assert hasattr(client, name), name
    asked.clear()
    seen[name] = [*refused(call), len(asked)]
print(json.dumps(seen))
