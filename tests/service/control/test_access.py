import uuid

import pytest

from headland.identity import applications, store
from headland.identity.records import Tenant

pytestmark = pytest.mark.anyio
PATH = "/control/access-requests"
WANTED = {"displayName": "Hill Farm", "reason": "Soil maps"}


async def ask(deployment, who, **changes):
    version = (await deployment.made("GET", "/control/terms", version=None, who=who))["version"]
    body = {**WANTED, "acceptTerms": version, **changes}
    return await deployment.call("POST", PATH, version=None, who=who, json=body)


async def test_asked_approved_owned(deployment, refused):
    hill = deployment.register("Hill")
    asked = await ask(deployment, hill)
    assert asked.status_code == 201
    request = asked.json()
    assert (request["state"], request["requestedBy"]) == ("Pending", hill.object_id)
    subscription = f"/subscriptions/{request['subscriptionId']}"
    refused(await deployment.call("GET", subscription, who=hill), 404, "SubscriptionNotFound")
    path = asked.headers["location"]
    answer = await deployment.call("POST", f"{path}/approve", version=None, who=hill)
    refused(answer, 403, "AuthorizationFailed", hill.client_id)
    approved = await deployment.made("POST", f"{path}/approve", version=None, json={"comment": "Welcome"})
    assert (approved["state"], approved["comment"]) == ("Approved", "Welcome")
    assert approved["decidedBy"] == deployment.administrator.object_id
    assert (await deployment.made("GET", subscription, who=hill))["displayName"] == "Hill Farm"
    await deployment.made("POST", f"{subscription}/providers/Microsoft.AgFoodPlatform/register", who=hill)
    group = f"{subscription}/resourceGroups/hill"
    await deployment.made("PUT", group, json={"location": "eastus"}, who=hill)
    instance = f"{group}/providers/Microsoft.AgFoodPlatform/farmBeats/hill"
    # The terms were accepted with the request.
    made = await deployment.call("PUT", instance, json={"location": "eastus"}, who=hill)
    assert made.status_code == 201
    refused(await deployment.call("GET", deployment.base, who=hill), 403, "AuthorizationFailed")
    again = await deployment.made("POST", f"{path}/approve", version=None)
    assert again["decidedAt"] == approved["decidedAt"]
    refused(await deployment.call("POST", f"{path}/refuse", version=None), 409, "Conflict", "approved")


async def test_refused(deployment, refused):
    hill = deployment.register("Hill")
    path = (await ask(deployment, hill)).headers["location"]
    decided = await deployment.made("POST", f"{path}/refuse", version=None, json={"comment": "No"})
    assert decided["state"] == "Refused"
    subscription = f"/subscriptions/{decided['subscriptionId']}"
    refused(await deployment.call("GET", subscription, who=hill), 404, "SubscriptionNotFound")
    # And may be asked for again.
    assert (await ask(deployment, hill, subscriptionId=decided["subscriptionId"])).status_code == 201


async def test_seen_by_its_asker_and_administrators_alone(deployment, refused):
    hill, dale = deployment.register("Hill"), deployment.register("Dale")
    path = (await ask(deployment, hill)).headers["location"]
    assert (await deployment.made("GET", path, version=None, who=hill))["state"] == "Pending"
    assert len((await deployment.made("GET", PATH, version=None))["value"]) == 1
    assert (await deployment.made("GET", PATH, version=None, who=dale))["value"] == []
    refused(await deployment.call("GET", path, version=None, who=dale), 404, "NotFound")


@pytest.mark.parametrize(
    ("changes", "status", "code", "text"),
    [
        ({"displayName": " "}, 400, "BadArgument", "displayName"),
        ({"displayName": "x" * 65}, 400, "BadArgument", "displayName"),
        ({"reason": ""}, 400, "BadArgument", "reason"),
        ({"reason": "a\x00"}, 400, "BadArgument", "reason"),
        ({"subscriptionId": "x"}, 400, "BadArgument", "subscriptionId"),
        ({"acceptTerms": "0"}, 400, "BadArgument", "acceptTerms"),
        ({"acceptTerms": True}, 400, "InvalidRequestContent", "acceptTerms"),
        ({"colour": "red"}, 400, "InvalidRequestContent", "colour"),
    ],
)
async def test_bad_requests(deployment, refused, changes, status, code, text):
    refused(await ask(deployment, deployment.administrator, **changes), status, code, text)
    assert (await deployment.made("GET", PATH, version=None))["value"] == []


async def test_what_is_enabled_or_asked_for_already(deployment, refused):
    hill = deployment.register("Hill")
    answer = await ask(deployment, hill, subscriptionId=deployment.subscription)
    refused(answer, 409, "Conflict", "enabled already")
    wanted = str(uuid.uuid4())
    assert (await ask(deployment, hill, subscriptionId=wanted.upper())).json()["subscriptionId"] == wanted
    refused(await ask(deployment, hill, subscriptionId=wanted), 409, "Conflict", "asks for")
    answer = await deployment.call("POST", f"{PATH}/{uuid.uuid4()}/approve", version=None)
    refused(answer, 404, "NotFound")


async def test_terms_as_text(deployment):
    answer = await deployment.client.get("/control/terms", headers={"accept": "text/plain"})
    assert answer.headers["content-type"] == "text/plain; charset=UTF-8"
    assert "stays yours" in answer.text


async def test_whoever_administers_the_deployment_decides_for_every_tenant(deployment, refused):
    other = Tenant(str(uuid.uuid4()), "orchard.example", int(deployment.clock() * 1000), "an administrator")

    def add(connection, *, administrator: bool):
        return applications.register(
            connection,
            other.id,
            "Orchard",
            administrator=administrator,
            created_by=None,
            now=other.created_at,
        )

    deployment.database.write_and_wait(lambda connection: store.add_tenant(connection, other))
    asker, local = (
        deployment.database.write_and_wait(lambda connection, of=of: add(connection, administrator=of))
        for of in (False, True)
    )
    path = (await ask(deployment, asker)).headers["location"]
    # An administrator of that tenant alone neither sees nor decides.
    refused(await deployment.call("GET", path, version=None, who=local), 404, "NotFound")
    answer = await deployment.call("POST", f"{path}/approve", version=None, who=local)
    refused(answer, 403, "AuthorizationFailed")
    listed = await deployment.made("GET", PATH, version=None)
    assert [item["requestedBy"] for item in listed["value"]] == [asker.object_id]
    decided = await deployment.made("POST", f"{path}/approve", version=None)
    subscription = f"/subscriptions/{decided['subscriptionId']}"
    assert (await deployment.call("GET", subscription, who=asker)).status_code == 200
    refused(await deployment.call("GET", subscription, who=local), 403, "AuthorizationFailed")


async def test_an_empty_subscription_is_removed_with_its_roles(deployment, refused):
    hill = deployment.register("Hill")
    asked = (await ask(deployment, hill)).json()
    await deployment.made("POST", f"{PATH}/{asked['id']}/approve", version=None)
    id_ = asked["subscriptionId"]
    group = f"/subscriptions/{id_}/resourceGroups/hill"
    await deployment.made("PUT", group, json={"location": "eastus"}, who=hill)
    await deployment.made(
        "POST", f"/subscriptions/{id_}/providers/Microsoft.AgFoodPlatform/register", who=hill
    )
    path = f"/control/subscriptions/{id_.upper()}"
    refused(await deployment.call("DELETE", path, version=None, who=hill), 403, "AuthorizationFailed")
    answer = await deployment.call("DELETE", path, version=None)
    refused(answer, 409, "SubscriptionNotEmpty", "'hill'")
    await deployment.call("DELETE", group, who=hill)
    deployment.deployer.work()
    assert (await deployment.call("DELETE", path, version=None)).status_code == 204
    refused(await deployment.call("DELETE", path, version=None), 404, "SubscriptionNotFound")
    assert (await deployment.made("GET", "/subscriptions", who=hill))["value"] == []
    # Asked for again it is like a new one: neither roles nor registrations have stayed.
    again = (await ask(deployment, deployment.register("Dale"), subscriptionId=id_)).json()
    await deployment.made("POST", f"{PATH}/{again['id']}/approve", version=None)
    refused(await deployment.call("GET", f"/subscriptions/{id_}", who=hill), 403, "AuthorizationFailed")
    assert (await deployment.call("DELETE", "/control/subscriptions/x", version=None)).status_code == 400
