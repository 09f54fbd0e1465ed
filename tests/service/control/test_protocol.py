import uuid

import pytest
from tests.databases import ON_EITHER, take_away

from headland.identity.claims import access_claims, lasting_claims
from headland.identity.resources import Resource

pytestmark = [ON_EITHER, pytest.mark.anyio]
TENANTS = "/tenants?api-version=2022-12-01"


async def test_tokens_of_three_audiences_open_it(deployment):
    for audience in (
        "https://management.azure.com",
        "https://management.azure.com/",
        "https://headland.test:8443",
    ):
        token = deployment.token(deployment.administrator, audience)
        answer = await deployment.client.get(TENANTS, headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text


async def test_without_a_good_token(deployment, refused):
    refused(await deployment.client.get(TENANTS), 401, "AuthenticationFailed", "header is missing")
    cases = {
        "x": "InvalidAuthenticationToken",
        deployment.token(
            deployment.administrator, "https://other.example"
        ): "InvalidAuthenticationTokenAudience",
        deployment.token(deployment.administrator)[:-8] + "AAAAAAAA": "InvalidAuthenticationToken",
    }
    for token, code in cases.items():
        answer = await deployment.client.get(TENANTS, headers={"authorization": f"Bearer {token}"})
        message = refused(answer, 401, code)
        assert token not in message
        assert answer.headers["www-authenticate"].startswith(
            'Bearer authorization_uri="https://headland.test'
        )
        assert answer.headers["x-ms-failure-cause"] == "gateway"
    answer = await deployment.client.get(f"{deployment.group()}?api-version=2022-12-01")
    challenge = answer.headers["www-authenticate"]
    base = "https://headland.test:8443"
    assert challenge == f'Bearer authorization_uri="{base}/{deployment.tenant}", scope="{base}/.default"'
    lasting = lasting_claims(
        deployment.known(deployment.administrator),
        Resource("https://management.azure.com", "1.0"),
        "https://headland.test:8443",
    )
    old = deployment.issuer.sign(access_claims(lasting, int(deployment.clock()) - 7200, 3600))
    answer = await deployment.client.get(TENANTS, headers={"authorization": f"Bearer {old}"})
    refused(answer, 401, "ExpiredAuthenticationToken")


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (None, "MissingApiVersionParameter"),
        ("", "MissingApiVersionParameter"),
        ("latest", "InvalidApiVersionParameter"),
        ("2021-09-01-final", "InvalidApiVersionParameter"),
        ("2021-9-1", "InvalidApiVersionParameter"),
    ],
)
async def test_versions(deployment, refused, version, code):
    query = {} if version is None else {"api-version": version}
    answer = await deployment.call("GET", "/subscriptions", version=None, query=query)
    refused(answer, 400, code)


async def test_paths_in_whatever_case(deployment):
    await deployment.ready("north-field")
    shouted = deployment.instance().upper().replace(deployment.subscription.upper(), deployment.subscription)
    for path in (
        shouted,
        deployment.instance().lower(),
        deployment.instance().replace("farmBeats", "/farmBeats"),
    ):
        assert (await deployment.made("GET", path))["id"] == deployment.instance()
    upper = deployment.group().replace(deployment.subscription, deployment.subscription.upper())
    assert (await deployment.made("GET", upper))["id"] == deployment.group()


async def test_paths_that_lead_nowhere(deployment, refused):
    nowhere = deployment.call
    refused(
        await nowhere("GET", "/providers/Microsoft.Nix/x"), 404, "InvalidResourceNamespace", "Microsoft.Nix"
    )
    answer = await nowhere("GET", f"{deployment.base}/providers/Microsoft.AgFoodPlatform/barns/x")
    refused(answer, 404, "InvalidResourceType", "'barns'")
    refused(await nowhere("GET", "/subscriptions/a/b/c"), 404, "MissingSubscription")
    answer = await nowhere("DELETE", deployment.base)
    refused(answer, 405, "MethodNotAllowed", "DELETE")
    assert answer.headers["allow"] == "GET, HEAD"
    refused(await deployment.client.get("/subscriptions/a/b/c"), 401, "AuthenticationFailed")


async def test_subscriptions(deployment, refused):
    listed = await deployment.made("GET", "/subscriptions")
    assert [item["subscriptionId"] for item in listed["value"]] == [deployment.subscription]
    assert listed["nextLink"] == ""
    one = await deployment.made("GET", deployment.base)
    assert (one["displayName"], one["state"], one["tenantId"]) == ("Meadow", "Enabled", deployment.tenant)
    names = [item["name"] for item in (await deployment.made("GET", f"{deployment.base}/locations"))["value"]]
    assert names == ["westeurope", "eastus"]
    (tenant,) = (await deployment.made("GET", "/tenants"))["value"]
    assert (tenant["tenantId"], tenant["displayName"]) == (deployment.tenant, "meadow.example")
    answer = await deployment.call("GET", f"/subscriptions/{uuid.uuid4()}/resourcegroups")
    refused(answer, 404, "SubscriptionNotFound")
    nobody = deployment.register()
    assert (await deployment.made("GET", "/subscriptions", who=nobody))["value"] == []
    refused(await deployment.call("GET", deployment.base, who=nobody), 403, "AuthorizationFailed")


async def test_providers(deployment, refused):
    path = f"{deployment.base}/providers/Microsoft.AgFoodPlatform"
    assert (await deployment.made("GET", path))["registrationState"] == "NotRegistered"
    for _ in range(2):
        answer = await deployment.call("POST", f"{path.lower()}/register", version="2016-02-01")
        assert (answer.status_code, answer.json()["registrationState"]) == (200, "Registered")
    one = await deployment.made("GET", path)
    assert one["id"] == path
    (farms,) = [item for item in one["resourceTypes"] if item["resourceType"] == "farmBeats"]
    assert farms["locations"] == ["West Europe", "East US"]
    assert "2021-09-01-preview" in farms["apiVersions"]
    listed = {
        item["namespace"]: item
        for item in (await deployment.made("GET", f"{deployment.base}/providers"))["value"]
    }
    assert listed["Microsoft.Authorization"]["registrationPolicy"] == "RegistrationFree"
    assert len((await deployment.made("GET", f"{path}/resourceTypes"))["value"]) == len(one["resourceTypes"])
    assert "registrationState" not in (await deployment.made("GET", "/providers/microsoft.agfoodplatform"))
    answer = await deployment.call("POST", f"{deployment.base}/providers/Microsoft.Nix/register")
    refused(answer, 404, "InvalidResourceNamespace", "Microsoft.Nix")
    await deployment.ready("north-field")
    refused(await deployment.call("POST", f"{path}/unregister"), 409, "SubscriptionStillUsed")
    await deployment.call("DELETE", deployment.instance())
    assert (await deployment.made("POST", f"{path}/unregister"))["registrationState"] == "NotRegistered"


async def test_request_ids(deployment):
    sent = {
        "x-ms-correlation-request-id": "furrow-1",
        "x-ms-client-request-id": "client-1",
        "x-ms-return-client-request-id": "true",
    }
    answer = await deployment.call("GET", "/tenants", headers=sent)
    assert answer.headers["x-ms-correlation-request-id"] == "furrow-1"
    assert answer.headers["x-ms-client-request-id"] == "client-1"
    plain = await deployment.call("GET", "/tenants", headers={"x-ms-correlation-request-id": "a b\x7f"})
    assert plain.headers["x-ms-correlation-request-id"] == plain.headers["x-ms-request-id"]
    assert "x-ms-client-request-id" not in plain.headers


async def test_without_a_database(deployment, refused):
    await deployment.call("GET", "/tenants")
    deployment.database.close()
    take_away(deployment.database.url)
    answer = await deployment.call("GET", deployment.group())
    refused(answer, 503, "ServiceUnavailable")
    assert answer.headers["retry-after"] == "1"
