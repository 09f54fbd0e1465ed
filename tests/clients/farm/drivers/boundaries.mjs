// Boundaries by @azure-rest/agrifood-farming, logged in by @azure/identity; what was seen is printed as JSON.

import createClient, { getLongRunningPoller, isUnexpected, paginate } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const mark = process.argv[2];
const west = Number(process.argv[3]);
const applications = JSON.parse(process.env.APPLICATIONS);

function client(role) {
  const [id, secret] = applications[role];
  const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
  return createClient(process.env.INSTANCE_URI, new ClientSecretCredential(process.env.TENANT, id, secret, options));
}

function square(x, y, side) {
  const ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]];
  return { type: "Polygon", coordinates: [ring] };
}

const [admin, contributor, reader] = ["admin", "contributor", "reader"].map(client);
const contentType = "application/merge-patch+json";
const party = `${mark}-outlined`;
const one = (caller, id) => caller.path("/parties/{partyId}/boundaries/{boundaryId}", party, id);
const patch = (id, body) => one(contributor, id).patch({ body, contentType });
async function pages(first) {
  const found = [];
  for await (const page of paginate(reader, first).byPage()) found.push(page.map((each) => each.id));
  return found;
}

const seen = {};
await contributor.path("/parties/{partyId}", party).patch({ body: {}, contentType });
const created = await patch("first", { geometry: square(west, 0, 0.02), type: mark, name: "First" });
seen.created = [created.status, created.body];
seen.same = JSON.stringify((await one(reader, "first").get()).body) === JSON.stringify(created.body);
seen.updated = (await patch("first", { description: "D" })).status;
for (let number = 0; number < 24; number++) {
  await patch(`b${String(number).padStart(2, "0")}`, { geometry: square(west + number / 100, 0, 0.02), type: mark });
}
const queryParameters = { type: mark, maxPageSize: 10 };
seen.lists = [
  await pages(await reader.path("/boundaries").get({ queryParameters })),
  await pages(await reader.path("/parties/{partyId}/boundaries", party).get({ queryParameters })),
].map((found) => found.map((page) => page.length));
const body = { intersectsWithGeometry: square(west - 1, -1, 3), type: mark, maxPageSize: 10 };
seen.searches = [
  await pages(await reader.path("/boundaries").post({ body })),
  await pages(await reader.path("/parties/{partyId}/boundaries", party).post({ body })),
].map((found) => found.map((page) => page.length));
const point = { type: "Point", coordinates: [west + 0.105, 0.01] };
seen.point = await pages(await reader.path("/boundaries").post({ body: { intersectsWithGeometry: point, type: mark } }));
const overlap = await reader
  .path("/parties/{partyId}/boundaries/{boundaryId}/overlap", party, "b00")
  .get({ queryParameters: { otherPartyId: party, otherBoundaryId: "b01" } });
seen.overlap = [overlap.status, overlap.body];
const bow = { type: "Polygon", coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] };
const crossed = await patch("bow", { geometry: bow });
seen.crossed = [isUnexpected(crossed), crossed.status, crossed.body.error.target];
const started = await admin
  .path("/boundaries/cascade-delete/{jobId}", `${mark}-job`)
  .put({ queryParameters: { partyId: party, boundaryId: "b00" } });
const job = await (await getLongRunningPoller(admin, started, { intervalInMs: 100 })).pollUntilDone();
seen.job = [started.status, job.body.status];
seen.details = (await reader.path("/boundaries/cascade-delete/{jobId}", `${mark}-job`).get()).body.status;
seen.deleted = (await one(admin, "first").delete()).status;
seen.gone = [(await one(reader, "first").get()).status, (await one(reader, "b00").get()).status];
console.log(JSON.stringify(seen));
