// Rasters of a shapefile by @azure-rest/agrifood-farming; what was seen is printed as JSON.

import { readFileSync } from "node:fs";

import createClient, { getLongRunningPoller } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const [party, shapefile] = process.argv.slice(2);
const [id, secret] = JSON.parse(process.env.APPLICATIONS).contributor;
const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
const credential = new ClientSecretCredential(process.env.TENANT, id, secret, options);
const client = createClient(process.env.INSTANCE_URI, credential);

await client.path("/parties/{partyId}", party).patch({ body: {}, contentType: "application/merge-patch+json" });
const file = new Uint8Array(readFileSync(shapefile));
await client.path("/parties/{partyId}/attachments/{attachmentId}", party, "shapes").patch({
  body: { file, resourceId: party, resourceType: "Party" },
  contentType: "multipart/form-data",
});

async function rasterized(job, column) {
  const body = { partyId: party, shapefileAttachmentId: "shapes", shapefileColumnNames: [column] };
  const first = await client.path("/image-processing/rasterize/{jobId}", job).put({ body });
  const ended = await (await getLongRunningPoller(client, first)).pollUntilDone();
  return [first.status, ended.body.status, ended.body.errorCode ?? ""];
}

const done = await rasterized(`${party}-1`, "YIELD");
const listed = await client.path("/parties/{partyId}/attachments", party).get({ queryParameters: { names: "YIELD" } });
const failed = await rasterized(`${party}-2`, "MOISTURE");
console.log(JSON.stringify({ done, file: listed.body.value[0].originalFileName, failed }));
