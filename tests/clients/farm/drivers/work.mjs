// Jobs that delete, and attachments, by @azure-rest/agrifood-farming; what was seen is printed as JSON.

import createClient, { getLongRunningPoller, isUnexpected } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const mark = process.argv[2];
const applications = JSON.parse(process.env.APPLICATIONS);

function client(role) {
  const [id, secret] = applications[role];
  const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
  return createClient(process.env.INSTANCE_URI, new ClientSecretCredential(process.env.TENANT, id, secret, options));
}

const [admin, contributor, reader] = ["admin", "contributor", "reader"].map(client);
const party = `${mark}-party`;
const patch = (path, body) =>
  contributor.pathUnchecked(path).patch({ body, contentType: "application/merge-patch+json" });
const refused = (response) => [isUnexpected(response), response.status, response.body.error.code];

// Paths of documents and their bodies, by what a job's parameters call their ids.
const shape = { type: "Polygon", coordinates: [[[0, 0], [0.01, 0], [0.01, 0.01], [0, 0]]] };
const documents = [
  ["farms", "farmId", "farm-1", {}],
  ["fields", "fieldId", "field-1", { farmId: "farm-1" }],
  ["seasonal-fields", "seasonalFieldId", "sf-1", { fieldId: "field-1" }],
  ["boundaries", "boundaryId", "boundary-1", { parentType: "Field", parentId: "field-1", geometry: shape }],
  ["management-zones", "managementZoneId", "mz-1", { fieldId: "field-1" }],
  ["zones", "zoneId", "zone-1", { managementZoneId: "mz-1" }],
  ["prescription-maps", "prescriptionMapId", "pm-1", { fieldId: "field-1" }],
  ["prescriptions", "prescriptionId", "prescription-1", { prescriptionMapId: "pm-1" }],
  ["plant-tissue-analyses", "plantTissueAnalysisId", "pta-1", { fieldId: "field-1" }],
  ["application-data", "applicationDataId", "ad-1", {}],
  ["harvest-data", "harvestDataId", "hd-1", {}],
  ["planting-data", "plantingDataId", "pd-1", {}],
  ["tillage-data", "tillageDataId", "td-1", {}],
];
const seen = { jobs: {} };
await patch(`/parties/${party}`, {});
for (const [segment, , id, body] of documents) {
  await patch(`/parties/${party}/${segment}/${id}`, body);
}

const attachments = "/parties/{partyId}/attachments/{attachmentId}";
const data = new Uint8Array(3_000_000).map((_, number) => number % 251);
const send = (id, body) =>
  contributor.path(attachments, party, id).patch({ body, contentType: "multipart/form-data" });
const created = await send("att-1", { file: data, resourceId: "farm-1", resourceType: "Farm", name: "N" });
const updated = await send("att-1", { description: "D" });
const down = await reader
  .path("/parties/{partyId}/attachments/{attachmentId}/file", party, "att-1")
  .get()
  .asNodeStream();
const blocks = [];
for await (const block of down.body) {
  blocks.push(block);
}
const listed = await reader.path("/parties/{partyId}/attachments", party).get();
seen.attachments = {
  created: [created.status, created.body.name, created.body.originalFileName],
  updated: [updated.status, updated.body.name, updated.body.description],
  down: Buffer.compare(Buffer.concat(blocks), Buffer.from(data)) === 0,
  listed: listed.body.value.map((each) => each.originalFileName),
  got: (await reader.path(attachments, party, "att-1").get()).status,
  "without a resource": refused(await send("att-2", { resourceId: "none", resourceType: "Farm" })),
};

async function cascade(segment, queryParameters) {
  const path = admin.path(`/${segment}/cascade-delete/{jobId}`, `${mark}-${segment}`);
  const poller = getLongRunningPoller(admin, await path.put({ queryParameters }));
  const ended = await (await poller).pollUntilDone();
  const asked = await reader.path(`/${segment}/cascade-delete/{jobId}`, `${mark}-${segment}`).get();
  seen.jobs[segment] = [ended.body.status, asked.body.resourceType, asked.body.resourceId];
}

for (const [segment, parameter, id] of documents.toReversed()) {
  await cascade(segment, { partyId: party, [parameter]: id });
}
seen["attachments"].gone = (await reader.path(attachments, party, "att-1").get()).status;
seen.refused = refused(
  await contributor.path("/parties/cascade-delete/{jobId}", `${mark}-no`).put({ queryParameters: { partyId: party } }),
);
await cascade("parties", { partyId: party });
seen.gone = (await reader.path("/parties/{partyId}", party).get()).status;
console.log(JSON.stringify(seen));
