// An OpenID Connect provider (npm: oidc-provider) on loopback: `node provider.mjs PORT KEYS.json ALGORITHM`.
// One client gets JWT access tokens for whichever resource it names; by the other, people sign in with any name.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { default: Provider } = await import(createRequire(import.meta.url).resolve("oidc-provider"));

const [port, keys, alg] = process.argv.slice(2);
const provider = new Provider(`http://localhost:${port}`, {
  jwks: JSON.parse(readFileSync(keys, "utf8")),
  clients: [
    {
      client_id: "tractor",
      client_secret: "tractor-secret",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: alg,
    },
    {
      client_id: "portal",
      client_secret: "portal-secret",
      grant_types: ["authorization_code"],
      redirect_uris: ["https://headland.test:8443/portal/sign-in/back"],
      response_types: ["code"],
      id_token_signed_response_alg: alg,
    },
  ],
  // Whoever signs in there is an administrator called so.
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: id[0].toUpperCase() + id.slice(1), groups: ["farm-admins"] }),
  }),
  claims: { openid: ["sub"], profile: ["name", "groups"] },
  conformIdTokenClaims: false,
  extraTokenClaims: () => ({ groups: ["farm-admins", "everybody"], "https://farm.example/oid": "object-7" }),
  features: {
    devInteractions: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => "api://headland",
      useGrantedResource: () => true,
      getResourceServerInfo: (_, audience) => ({
        scope: "",
        audience,
        accessTokenFormat: "jwt",
        accessTokenTTL: 600,
        jwt: { sign: { alg } },
      }),
    },
  },
});
provider.listen(Number(port), "localhost", () => console.log("listening"));
