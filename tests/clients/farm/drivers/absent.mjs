// Call groups that Headland has not by @azure-rest/agrifood-farming; what was seen is printed as JSON.

import createClient, { isUnexpected } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const [id, secret] = JSON.parse(process.env.APPLICATIONS).admin;
const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
const credential = new ClientSecretCredential(process.env.TENANT, id, secret, options);
const client = createClient(process.env.INSTANCE_URI, credential);
const partner = "/sensor-partners/{sensorPartnerId}";
const groups = {
  DeviceDataModels: [`${partner}/device-data-models`, "p1"],
  Devices: [`${partner}/devices`, "p1"],
  FarmOperations: ["/farm-operations/ingest-data/{jobId}", "j1"],
  ModelInference: ["/model-inference/models/microsoft-biomass/infer-data/{jobId}", "j1"],
  OAuthProviders: ["/oauth/providers"],
  OAuthTokens: ["/oauth/tokens"],
  Scenes: ["/scenes/satellite/ingest-data/{jobId}", "j1"],
  SensorDataModels: [`${partner}/sensor-data-models`, "p1"],
  SensorEvents: ["/sensor-events"],
  SensorMappings: ["/sensor-mappings"],
  SensorPartnerIntegrations: [`${partner}/integrations`, "p1"],
  Sensors: [`${partner}/sensors`, "p1"],
  SolutionInference: ["/solutions/{solutionId}:fetch", "bayerAgPowered.cwum"],
  Weather: ["/weather/ingest-data/{jobId}", "j1"],
  WeatherData: ["/weather-data/:fetch"],
};
const seen = {};
for (const [name, path] of Object.entries(groups)) {
  const one = client.path(...path);
  const answer = await (one.get ? one.get({}) : one.post({ body: {} }));
  if (!isUnexpected(answer)) throw new Error(name);
  seen[name] = [answer.status, answer.body.error.code, answer.body.error.message];
}
console.log(JSON.stringify(seen));
