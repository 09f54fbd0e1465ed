// Every operation on plain documents by @azure-rest/agrifood-farming; what was seen is printed as JSON.

import createClient, { isUnexpected, paginate } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const mark = process.argv[2];
const [id, secret] = JSON.parse(process.env.APPLICATIONS).admin;
const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
const credential = new ClientSecretCredential(process.env.TENANT, id, secret, options);
const client = createClient(process.env.INSTANCE_URI, credential);
const party = `${mark}-party`;
const patched = (path, body) => path.patch({ body, contentType: "application/merge-patch+json" });

async function listed(path, queryParameters) {
  const found = [];
  // Other clients leave documents in the same instance.
  const first = await path.get({ queryParameters: { ...queryParameters, ids: "x1" } });
  if (isUnexpected(first)) throw new Error(JSON.stringify(first.body));
  for await (const each of paginate(client, first)) found.push(each.id);
  return found;
}

async function lived(one, lists, body, queryParameters) {
  const made = await patched(one, body);
  const got = await one.get();
  const seen = {
    made: [made.status, Object.keys(body).every((name) => name in made.body)],
    same: JSON.stringify(got.body) === JSON.stringify(made.body),
    changed: (await patched(one, { description: mark })).status,
    listed: [],
  };
  for (const list of lists) seen.listed.push(await listed(list, queryParameters));
  seen.deleted = (await one.delete()).status;
  seen.gone = (await one.get()).status;
  return seen;
}

const measure = { unit: "Acre", value: 12.5 };
const ofParty = {
  farms: ["farmId", { name: mark }, { names: mark }],
  fields: ["fieldId", { farmId: "f1" }, { farmIds: "f1" }],
  "seasonal-fields": ["seasonalFieldId", { cropProductIds: ["v1"] }, { cropProductIds: "v1" }],
  "management-zones": ["managementZoneId", { type: "T" }, { types: "T" }],
  zones: ["zoneId", { managementZoneId: "m1" }, { managementZoneIds: "m1" }],
  "prescription-maps": ["prescriptionMapId", { source: "SRC" }, { sources: "SRC" }],
  prescriptions: ["prescriptionId", { productCode: "P" }, { productCodes: "P" }],
  "planting-data": ["plantingDataId", { avgPlantingRate: measure }, { minAvgPlantingRate: 12 }],
  "tillage-data": ["tillageDataId", { tillageDepth: measure }, { maxTillageDepth: 13 }],
  "application-data": ["applicationDataId", { totalMaterial: measure }, { minTotalMaterial: 12 }],
  "harvest-data": ["harvestDataId", { totalYield: measure }, { minTotalYield: 12 }],
  "plant-tissue-analyses": ["plantTissueAnalysisId", { fieldId: "f00" }, { fieldIds: "f00" }],
  "nutrient-analyses": ["nutrientAnalysisId", { classification: "high" }, { classifications: "high" }],
};
const ofAll = {
  seasons: ["seasonId", { year: 2021 }, { years: 2021 }],
  crops: ["cropId", { phenotype: mark }, { phenotypes: mark }],
  "crop-products": ["cropProductId", { brand: mark }, { brands: mark }],
};

await patched(client.path("/parties/{partyId}", party), {});
// What the bodies refer to.
await patched(client.path("/parties/{partyId}/farms/{farmId}", party, "f1"), {});
await patched(client.path("/parties/{partyId}/fields/{fieldId}", party, "f00"), {});
await patched(client.path("/parties/{partyId}/management-zones/{managementZoneId}", party, "m1"), {});
await patched(client.path("/crop-products/{cropProductId}", "v1"), {});
const seen = { groups: {} };
for (const [segment, [parameter, body, filters]] of Object.entries(ofParty)) {
  const one = client.path(`/parties/{partyId}/${segment}/{${parameter}}`, party, "x1");
  const lists = [client.path(`/parties/{partyId}/${segment}`, party), client.path(`/${segment}`)];
  seen.groups[segment] = await lived(one, lists, body, filters);
}
for (const [segment, [parameter, body, filters]] of Object.entries(ofAll)) {
  const one = client.path(`/${segment}/{${parameter}}`, "x1");
  seen.groups[segment] = await lived(one, [client.path(`/${segment}`)], body, filters);
}
const below = "/parties/{partyId}/models/{modelId}/resource-types/{resourceType}/resources/{resourceId}/insights";
const place = [party, "model-1", "Party", party];
seen.groups.insights = await lived(
  client.path(`${below}/{insightId}`, ...place, "x1"),
  [client.path(below, ...place)],
  { measurements: { NDVI: { unit: "%", value: 40 } } },
  { measurementFilters: "NDVI.value eq 40" },
);

// The latest version, which the client's types do not know.
const latest = createClient(process.env.INSTANCE_URI, credential, { apiVersion: "2023-11-01-preview" });
const patchLatest = (path, body) => patched(latest.pathUnchecked(path), body);
for (let number = 0; number < 51; number++) {
  await patchLatest(`/parties/${party}/fields/f${String(number).padStart(2, "0")}`, { source: mark });
}
const searched = await latest.pathUnchecked("/fields:search").post({ body: { partyId: party } });
seen.searched = [searched.body.value.length, "nextLink" in searched.body];
seen.followed = [];
for await (const each of paginate(latest, searched)) seen.followed.push(each.id);
const dataset = await patchLatest(`/datasets/${mark}-d1`, { type: "Crop" });
const record = await patchLatest(`/datasets/${mark}-d1/records/r1`, { record: { name: "N" } });
seen.dataset = [dataset.status, record.status, record.body.datasetId];
console.log(JSON.stringify(seen));
