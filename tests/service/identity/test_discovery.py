"""Discovery: what MSAL and others read before they ask for a token."""

import pytest

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
HOST = "headland.test:8443"
NOBODY = "11111111-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("path", "part", "issuer_end"), [("/v2.0", "/v2.0", "/v2.0"), ("", "", "/")], ids=["v2", "v1"]
)
async def test_metadata_names_the_endpoints_of_its_version(deployment, path, part, issuer_end):
    answer = await deployment.tokens.get(f"/{deployment.tenant}{path}/.well-known/openid-configuration")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=3600"
    base = f"{PUBLIC_URL}/{deployment.tenant}"
    metadata = answer.json()
    assert metadata["issuer"] == base + issuer_end
    assert metadata["token_endpoint"] == f"{base}/oauth2{part}/token"
    assert metadata["authorization_endpoint"] == f"{base}/oauth2{part}/authorize"
    assert metadata["jwks_uri"] == f"{base}/discovery{part}/keys"
    assert metadata["token_endpoint_auth_methods_supported"] == [
        "client_secret_post",
        "client_secret_basic",
        "private_key_jwt",
    ]
    assert metadata["token_endpoint_auth_signing_alg_values_supported"] == ["RS256", "PS256"]
    assert metadata["grant_types_supported"] == ["client_credentials"]
    assert metadata["id_token_signing_alg_values_supported"] == ["RS256"]
    form = {**deployment.form(), "resource": PUBLIC_URL}
    assert (await deployment.tokens.post(metadata["token_endpoint"], data=form)).status_code == 200
    assert (await deployment.tokens.get(metadata["jwks_uri"])).status_code == 200


async def test_metadata_asked_by_name_has_the_tenants_id_in_its_addresses(deployment):
    answer = await deployment.tokens.get("/Meadow.Example/v2.0/.well-known/openid-configuration")
    assert answer.json()["issuer"] == f"{PUBLIC_URL}/{deployment.tenant}/v2.0"


@pytest.mark.parametrize("named", ["common", "organizations", "Common"])
@pytest.mark.parametrize(("part", "issuer_end"), [("/v2.0", "/v2.0"), ("", "/")], ids=["v2", "v1"])
async def test_metadata_of_no_tenant_in_particular_leads_to_the_clients_own(
    deployment, named, part, issuer_end
):
    answer = await deployment.tokens.get(f"/{named}{part}/.well-known/openid-configuration")
    metadata = answer.json()
    assert metadata["issuer"] == f"{PUBLIC_URL}/{{tenantid}}{issuer_end}"
    assert metadata["token_endpoint"] == f"{PUBLIC_URL}/{named.lower()}/oauth2{part}/token"
    form = {**deployment.form(), "resource": PUBLIC_URL}
    token = (await deployment.tokens.post(metadata["token_endpoint"], data=form)).json()["access_token"]
    principal = deployment.verifier.verify(token, frozenset({PUBLIC_URL}))
    assert principal.tenant_id == deployment.tenant
    keys = (await deployment.tokens.get(metadata["jwks_uri"])).json()
    own = await deployment.tokens.get(f"/{deployment.tenant}/discovery/keys")
    assert keys == own.json()


@pytest.mark.parametrize("named", ["adfs", "ADFS"])
@pytest.mark.parametrize("part", ["/v2.0", ""], ids=["v2", "v1"])
async def test_metadata_of_adfs_lead_those_who_have_a_scope_to_the_clients_own_tenant(
    deployment, named, part
):
    answer = await deployment.tokens.get(f"/{named}{part}/.well-known/openid-configuration")
    metadata = answer.json()
    assert metadata["token_endpoint"] == f"{PUBLIC_URL}/adfs/oauth2/v2.0/token"
    answer = await deployment.tokens.post(metadata["token_endpoint"], data=deployment.form())
    token = answer.json()["access_token"]
    principal = deployment.verifier.verify(token, frozenset({PUBLIC_URL}))
    assert principal.tenant_id == deployment.tenant
    assert (await deployment.tokens.get(metadata["jwks_uri"])).status_code == 200
    nobody = await deployment.tokens.post(metadata["token_endpoint"], data=deployment.form(client_id=NOBODY))
    assert (nobody.status_code, nobody.json()["error_codes"]) == (400, [700016])


@pytest.mark.parametrize(
    "path",
    [
        "v2.0/.well-known/openid-configuration",
        ".well-known/openid-configuration",
        "discovery/keys",
        "discovery/v2.0/keys",
    ],
)
@pytest.mark.parametrize(("tenant", "code"), [(NOBODY, 90002), ("no tenant!", 900023)])
async def test_discovery_of_an_unknown_tenant_is_refused(deployment, path, tenant, code):
    answer = await deployment.tokens.get(f"/{tenant}/{path}")
    assert answer.status_code == 400
    assert answer.json()["error_codes"] == [code]


async def test_both_addresses_of_the_keys_answer_the_same(deployment):
    v1 = await deployment.tokens.get(f"/{deployment.tenant}/discovery/keys")
    v2 = await deployment.tokens.get(f"/{deployment.tenant}/discovery/v2.0/keys")
    assert v1.json() == v2.json()
    assert "d" not in v1.json()["keys"][0]


@pytest.mark.parametrize("host", [HOST, HOST.upper(), "headland.test"])
async def test_instance_discovery_knows_its_own_host(deployment, host):
    answer = await deployment.tokens.get(
        "/common/discovery/instance",
        params={
            "api-version": "1.1",
            "authorization_endpoint": f"https://{host}/{deployment.tenant}/oauth2/v2.0/authorize",
        },
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["api-version"] == "1.1"
    assert body["metadata"] == [
        {"preferred_network": HOST, "preferred_cache": HOST, "aliases": [HOST, "headland.test"]}
    ]
    metadata = await deployment.tokens.get(body["tenant_discovery_endpoint"])
    assert metadata.json()["issuer"] == f"{PUBLIC_URL}/{deployment.tenant}/v2.0"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://login.example/common/oauth2/v2.0/authorize",
        "http://headland.test:8443/common/oauth2/v2.0/authorize",
        "https://headland.test:8443@elsewhere.example/common",
        "https://headland.test:8443.elsewhere.example/common",
        "https://headland.test:8443/",
        "https://[/common",
        "headland",
    ],
)
async def test_instance_discovery_refuses_other_hosts(deployment, endpoint):
    answer = await deployment.tokens.get(
        "/common/discovery/instance", params={"api-version": "1.1", "authorization_endpoint": endpoint}
    )
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_instance"
    assert answer.json()["error_codes"] == [50049]


@pytest.mark.parametrize("missing", ["api-version", "authorization_endpoint"])
async def test_instance_discovery_names_what_is_missing(deployment, missing):
    query = {"api-version": "1.1", "authorization_endpoint": f"{PUBLIC_URL}/common/oauth2/authorize"}
    del query[missing]
    answer = await deployment.tokens.get("/common/discovery/instance", params=query)
    assert answer.json()["error_codes"] == [90014]
    assert f"'{missing}'" in answer.json()["error_description"]


async def test_instance_discovery_knows_two_versions(deployment):
    query = {"api-version": "9", "authorization_endpoint": f"{PUBLIC_URL}/common/oauth2/authorize"}
    answer = await deployment.tokens.get("/common/discovery/instance", params=query)
    assert answer.json()["error_codes"] == [9002313]


@pytest.mark.parametrize("path", ["/", "/x", "/x/oauth2/v2.0/authorize", "/a/b/c/d"])
async def test_unknown_paths_answer_404_in_json(deployment, path):
    answer = await deployment.tokens.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"msg": f"There is nothing at {path}."}
