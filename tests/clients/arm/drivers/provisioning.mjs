// Provisions an instance with the public JavaScript SDKs alone, and prints what they saw.

import { AgriFoodMgmtClient } from "@azure/arm-agrifood";
import { AuthorizationManagementClient } from "@azure/arm-authorization";
import { ResourceManagementClient } from "@azure/arm-resources";
import { ClientSecretCredential } from "@azure/identity";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

const asked = JSON.parse(process.argv[2]);
const PROVIDER = "Microsoft.AgFoodPlatform";
const READER = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba";
const ADMIN = "f8da80de-1ff9-4747-ad80-a19b7f6079e3";
const credential = new ClientSecretCredential(asked.tenant, asked.client, asked.secret, {
  authorityHost: asked.url,
  disableInstanceDiscovery: true,
});
const options = { endpoint: asked.url, $host: asked.url, credentialScopes: "https://management.azure.com/.default" };
const subscription = asked.subscription;
const seen = {};

const refused = async (act) => {
  try {
    await act();
  } catch (error) {
    return [error.statusCode, error.code];
  }
  return null;
};
const all = async (pages) => {
  const found = [];
  for await (const item of pages) found.push(item);
  return found;
};

const resources = new ResourceManagementClient(credential, subscription, options);
const farms = new AgriFoodMgmtClient(credential, subscription, options);
const roles = new AuthorizationManagementClient(credential, subscription, options);

seen["wrong region"] = await refused(() => resources.resourceGroups.createOrUpdate("barn", { location: "moon" }));
const group = await resources.resourceGroups.createOrUpdate("barn", { location: "westeurope", tags: { a: "b" } });
seen.group = [group.name, group.location, group.properties.provisioningState];
seen.groups = (await all(resources.resourceGroups.list())).map((item) => item.name);
await resources.providers.register(PROVIDER);
seen.registered = (await resources.providers.get(PROVIDER)).registrationState;
const models = farms.farmBeatsModels;
seen["wrong name"] = await refused(() => models.createOrUpdate("barn", "a--b", { location: "westeurope" }));
const made = await models.createOrUpdate("barn", "east-field", { location: "West Europe", tags: { crop: "oats" } });
const states = [made.provisioningState];
while (!["Succeeded", "Failed"].includes(states.at(-1))) {
  await setTimeout(200);
  states.push((await models.get("barn", "east-field")).provisioningState);
}
seen.states = [states[0], states.at(-1)];
seen.uri = made.instanceUri;
seen.updated = (await models.beginUpdateAndWait("barn", "east-field", { tags: { crop: "rye" } })).tags;
for (let number = 0; number < 12; number++) {
  await models.createOrUpdate("barn", `plot-${number}`, { location: "westeurope" });
}
seen.paged = (await all(models.listByResourceGroup("barn", { maxPageSize: 10 }))).length;
const filter = `resourceType eq '${PROVIDER}/farmBeats'`;
seen.hidden = (await all(resources.resources.listByResourceGroup("barn", { filter }))).length;
const [definition] = await all(
  roles.roleDefinitions.list(made.id, { filter: "roleName eq 'AgFood Platform Service Admin'" }),
);
seen.definition = definition.name === ADMIN;
const name = randomUUID();
const wanted = (role) => ({
  roleDefinitionId: `/subscriptions/${subscription}/providers/Microsoft.Authorization/roleDefinitions/${role}`,
  principalId: asked.worker,
  principalType: "ServicePrincipal",
});
seen.assigned = (await roles.roleAssignments.create(made.id, name, wanted(ADMIN))).name === name;
seen["same again"] = await refused(() => roles.roleAssignments.create(made.id, randomUUID(), wanted(ADMIN)));
seen["second role"] = await refused(() => roles.roleAssignments.create(made.id, randomUUID(), wanted(READER)));
seen.assignments = (await all(roles.roleAssignments.listForScope(made.id, { filter: `principalId eq '${asked.worker}'` }))).length;
await roles.roleAssignments.delete(made.id, name);
await models.delete("barn", "east-field");
seen.deleted = await refused(() => models.get("barn", "east-field"));
await resources.resourceGroups.beginDeleteAndWait("barn");
seen["group deleted"] = await refused(() => resources.resourceGroups.get("barn"));
console.log(JSON.stringify(seen));
