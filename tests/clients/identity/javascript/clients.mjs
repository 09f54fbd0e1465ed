// Gets tokens as programs do that were written for the hosted directory: nothing here knows Headland.
//
// The first argument names the case, standard input has its arguments as JSON; the answer is JSON, too.

import { readFileSync } from "node:fs";
import {
  ClientCertificateCredential,
  ClientSecretCredential,
  DefaultAzureCredential,
  EnvironmentCredential,
} from "@azure/identity";
import { ConfidentialClientApplication } from "@azure/msal-node";

const given = JSON.parse(readFileSync(0, "utf8"));
const options = { authorityHost: given.authority, disableInstanceDiscovery: true };

const cases = {
  client_secret: () =>
    azureTokens(new ClientSecretCredential(given.tenant, given.client_id, given.client_secret, options)),
  certificate: () =>
    azureTokens(
      new ClientCertificateCredential(given.tenant, given.client_id, given.path, {
        ...options,
        sendCertificateChain: given.chain ?? false,
      }),
    ),
  default: () => azureTokens(new DefaultAzureCredential(given.options)),
  environment: () => azureTokens(new EnvironmentCredential()),
  // The authority by the environment, the rest as a program says it: without a word of discovery.
  in_environment: () =>
    azureTokens(
      given.path
        ? new ClientCertificateCredential(given.tenant, given.client_id, given.path)
        : new ClientSecretCredential(given.tenant, given.client_id, given.client_secret),
    ),
  msal: async () => {
    const client = new ConfidentialClientApplication({ auth: given.auth });
    const tokens = [];
    for (const scope of given.scopes) {
      tokens.push((await client.acquireTokenByClientCredential({ scopes: [scope] })).accessToken);
    }
    return { tokens };
  },
};

async function azureTokens(credential) {
  const tokens = [];
  for (const scope of given.scopes) {
    tokens.push((await credential.getToken(scope)).token);
  }
  return { tokens };
}

let answer;
try {
  answer = await cases[process.argv[2]]();
} catch (error) {
  answer = { error: error.name, message: error.message };
}
console.log(JSON.stringify(answer));
