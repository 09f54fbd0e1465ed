// Farm records by @azure-rest/agrifood-farming, logged in by @azure/identity; what was seen is printed as JSON.

import createClient, { buildMultiCollection, isUnexpected, paginate } from "@azure-rest/agrifood-farming";
import { ClientSecretCredential } from "@azure/identity";

const mark = process.argv[2];
const applications = JSON.parse(process.env.APPLICATIONS);

function client(role) {
  const [id, secret] = applications[role];
  const options = { authorityHost: process.env.AUTHORITY, disableInstanceDiscovery: true };
  return createClient(process.env.INSTANCE_URI, new ClientSecretCredential(process.env.TENANT, id, secret, options));
}

const [admin, contributor, reader, stranger] = ["admin", "contributor", "reader", "stranger"].map(client);
const patch = (caller, id, body, headers) =>
  caller
    .path("/parties/{partyId}", id)
    .patch({ body, headers, contentType: "application/merge-patch+json" });
const get = (caller, id) => caller.path("/parties/{partyId}", id).get();
const refused = (response) => [
  isUnexpected(response),
  response.status,
  response.body.error.code,
  response.headers["x-ms-error-code"],
];

const party = `${mark}-party`;
const seen = {};
const created = await patch(contributor, party, { name: "Contoso", properties: { foo: "bar" } });
seen.created = [created.status, created.body];
seen.updated = (await patch(contributor, party, { description: "D" })).status;

for (let number = 0; number < 60; number++) {
  await patch(contributor, `${mark}-${String(number).padStart(3, "0")}`, { name: `${mark} & co` });
}
const pageSizes = [];
const listed = [];
const first = await reader
  .path("/parties")
  .get({ queryParameters: { names: `${mark} & co`, maxPageSize: 25 } });
for await (const page of paginate(reader, first).byPage()) {
  pageSizes.push(page.length);
  listed.push(...page.map((each) => each.id));
}
seen.pages = pageSizes;
seen.listed = listed;
const wanted = [`${mark}-001`, `${mark}-002`];
for (const skipUrlEncoding of [true, false]) {
  const answer = await reader
    .path("/parties")
    .get({ queryParameters: { ids: buildMultiCollection(wanted, "ids") }, skipUrlEncoding });
  (seen.collections ??= []).push(answer.body.value.map((each) => each.id));
}

seen.refusals = {
  "no role": refused(await get(stranger, party)),
  "reader writes": refused(await patch(reader, party, {})),
  "contributor deletes": refused(await contributor.path("/parties/{partyId}", party).delete()),
  absent: refused(await get(reader, `${mark}-none`)),
  stale: refused(await patch(contributor, party, {}, { "if-match": created.body.eTag })),
};
seen.deleted = (await admin.path("/parties/{partyId}", party).delete()).status;
seen.gone = (await get(reader, party)).status;
console.log(JSON.stringify(seen));
