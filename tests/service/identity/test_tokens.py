"""Tokens that are issued: both answers of the seed, field by field, and what is in the tokens."""

import base64
import json
from urllib.parse import quote

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from headland.identity import identity_app
from headland.settings import IdentitySettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
FARM = "https://farmbeats.azure.net"
NOW = 1_800_000_000


def claims_of(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def multipart(fields: dict[str, str]) -> dict[str, tuple[None, str]]:
    """Fields without file names, as `curl --form` sends them."""
    return {name: (None, value) for name, value in fields.items()}


def check_v2(answer: httpx.Response) -> dict:
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    assert answer.headers["content-type"].lower().startswith("application/json")
    body = answer.json()
    assert set(body) == {"token_type", "expires_in", "ext_expires_in", "access_token"}
    assert body["token_type"] == "Bearer"
    assert type(body["expires_in"]) is int
    assert body["expires_in"] == 3599
    assert type(body["ext_expires_in"]) is int
    assert body["ext_expires_in"] == 3599
    assert type(body["access_token"]) is str
    return body


async def test_v2_answers_the_get_with_multipart_form_that_the_job_service_specifies(deployment):
    form = deployment.form(scope="https://hilo.azurehdinsight.net/.default")
    answer = await deployment.tokens.request("GET", deployment.v2, files=multipart(form))
    assert answer.request.headers["content-type"].startswith("multipart/form-data; boundary=")
    body = check_v2(answer)
    assert claims_of(body["access_token"])["aud"] == "https://hilo.azurehdinsight.net"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("kind", ["urlencoded", "multipart"])
async def test_v2_takes_both_methods_with_both_media_types(deployment, method, kind):
    form = deployment.form()
    body = {"data": form} if kind == "urlencoded" else {"files": multipart(form)}
    check_v2(await deployment.tokens.request(method, deployment.v2, **body))


async def test_v1_answers_every_number_as_a_string_of_digits(deployment):
    answer = await deployment.tokens.post(deployment.v1, data=deployment.form_v1(resource=FARM + "/"))
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    body = answer.json()
    token = body.pop("access_token")
    assert body == {
        "token_type": "Bearer",
        "expires_in": "3599",
        "ext_expires_in": "3599",
        "expires_on": str(NOW + 3599),
        "not_before": str(NOW),
        "resource": FARM + "/",
    }
    claims = claims_of(token)
    assert (claims["aud"], claims["nbf"], claims["exp"]) == (FARM, NOW, NOW + 3599)


async def test_token_for_a_hosted_resource_has_v1_claims_whichever_endpoint_is_asked(deployment):
    drone = await deployment.register()
    form = {"client_id": drone["clientId"], "client_secret": drone["secret"]}
    by_scope = await deployment.token(**form, scope=f"{FARM}/.default")
    by_resource = (await deployment.tokens.post(deployment.v1, data=deployment.form_v1(**form))).json()
    for token in (by_scope, by_resource["access_token"]):
        claims = claims_of(token)
        assert len(claims.pop("uti")) >= 16
        assert claims == {
            "aud": FARM,
            "iss": f"{PUBLIC_URL}/{deployment.tenant}/",
            "iat": NOW,
            "nbf": NOW,
            "exp": NOW + 3599,
            "appid": drone["clientId"],
            "appidacr": "1",
            "idp": f"{PUBLIC_URL}/{deployment.tenant}/",
            "idtyp": "app",
            "oid": drone["objectId"],
            "sub": drone["objectId"],
            "tid": deployment.tenant,
            "ver": "1.0",
        }


async def test_token_for_the_deployment_itself_has_v2_claims_and_says_who_administers(deployment):
    claims = claims_of(await deployment.token())
    assert len(claims.pop("uti")) >= 16
    object_id = claims.pop("oid")
    assert claims == {
        "aud": PUBLIC_URL,
        "iss": f"{PUBLIC_URL}/{deployment.tenant}/v2.0",
        "iat": NOW,
        "nbf": NOW,
        "exp": NOW + 3599,
        "azp": deployment.first.client_id,
        "azpacr": "1",
        "idtyp": "app",
        "sub": object_id,
        "tid": deployment.tenant,
        "ver": "2.0",
        "roles": ["Administrator"],
    }


async def test_two_tokens_of_the_same_second_differ(deployment):
    assert await deployment.token() != await deployment.token()


@pytest.mark.parametrize(
    ("scope", "audience"),
    [
        (f"{FARM}/.default", FARM),
        (f"{FARM}//.default", FARM),
        ("https://slashed.example//.default", "https://slashed.example/"),
        ("https://slashed.example/.default", "https://slashed.example/"),
        ("https://management.azure.com/.default", "https://management.azure.com"),
        (f"{PUBLIC_URL}/livy/.default", f"{PUBLIC_URL}/livy"),
        # As MSAL for Go asks.
        (f"{FARM}/.default openid offline_access profile", FARM),
        (f"openid {FARM}/.default", FARM),
    ],
)
async def test_scope_names_a_resource_with_or_without_trailing_slash(deployment, scope, audience):
    assert claims_of(await deployment.token(scope=scope))["aud"] == audience


async def test_tenant_may_be_named_in_whatever_case(deployment):
    for named in ("meadow.example", "Meadow.Example", deployment.tenant.upper()):
        answer = await deployment.tokens.post(f"/{named}/oauth2/v2.0/token", data=deployment.form())
        assert claims_of(check_v2(answer)["access_token"])["tid"] == deployment.tenant


async def test_client_id_may_be_in_upper_case(deployment):
    token = await deployment.token(client_id=deployment.first.client_id.upper())
    assert claims_of(token)["azp"] == deployment.first.client_id


@pytest.mark.parametrize("with_client_id", [False, True])
async def test_client_may_authenticate_by_http_basic(deployment, with_client_id):
    form = deployment.form(client_secret=None, **({} if with_client_id else {"client_id": None}))
    credentials = (quote(deployment.first.client_id), quote(deployment.first.secret))
    check_v2(await deployment.tokens.post(deployment.v2, data=form, auth=credentials))
    form = {**form, "resource": FARM}
    answer = await deployment.tokens.post(deployment.v1, data=form, auth=credentials)
    assert answer.status_code == 200


async def test_additional_parameters_and_queries_of_msal_change_nothing(deployment):
    form = {**deployment.form(), "client_info": "1", "claims": '{"access_token":{}}', "x-client-SKU": "x"}
    check_v2(await deployment.tokens.post(f"{deployment.v2}?client-request-id=1&scope=no", data=form))


async def test_token_is_good_for_the_verifier_and_for_its_audience_alone(deployment):
    drone = await deployment.register()
    token = await deployment.token(
        client_id=drone["clientId"], client_secret=drone["secret"], scope=f"{FARM}/.default"
    )
    principal = deployment.verifier.verify(token, frozenset({FARM}))
    assert principal.client_id == drone["clientId"]
    assert principal.object_id == drone["objectId"]
    assert principal.tenant_id == deployment.tenant
    assert not principal.administrator
    own = deployment.verifier.verify(await deployment.token(), frozenset({PUBLIC_URL}))
    assert own.administrator
    assert own.client_id == deployment.first.client_id
    with pytest.raises(Exception, match="not for this service"):
        deployment.verifier.verify(token, frozenset({PUBLIC_URL}))
    deployment.clock.now += 3599 + 61
    with pytest.raises(Exception, match="expired"):
        deployment.verifier.verify(token, frozenset({FARM}))


async def test_published_keys_are_enough_for_anybody_to_verify(deployment):
    token = await deployment.token()
    metadata = (
        await deployment.tokens.get(f"/{deployment.tenant}/v2.0/.well-known/openid-configuration")
    ).json()
    published = (await deployment.tokens.get(metadata["jwks_uri"])).json()
    decoded = jwt.decode(token, KeySet.import_key_set(published), algorithms=["RS256"])
    assert decoded.claims["iss"] == metadata["issuer"]
    assert decoded.header["typ"] == "JWT"
    (key,) = published["keys"]
    assert decoded.header["kid"] == key["kid"] == KeySet.import_key_set(published).keys[0].thumbprint()
    assert set(key) == {"kty", "use", "alg", "kid", "n", "e"}


async def test_several_secrets_are_good_side_by_side_until_revoked(deployment):
    drone = await deployment.register()
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}/secrets"
    second = (await deployment.admin.post(path, json={}, headers=headers)).json()["secret"]
    for secret in (drone["secret"], second):
        await deployment.token(client_id=drone["clientId"], client_secret=secret)
    revoked = await deployment.admin.delete(f"{path}/{drone['secretId']}", headers=headers)
    assert revoked.status_code == 204
    await deployment.token(client_id=drone["clientId"], client_secret=second)
    answer = await deployment.tokens.post(
        deployment.v2, data=deployment.form(client_id=drone["clientId"], client_secret=drone["secret"])
    )
    assert answer.json()["error_codes"] == [7000215]


async def test_lifetime_is_a_resources_own_where_the_settings_say_so(deployment):
    settings = Settings(
        server=ServerSettings(public_url=PUBLIC_URL),
        identity=IdentitySettings(token_lifetime=86_399, token_lifetimes={f"{FARM}/": 900}),
    )
    app = identity_app(deployment.database, settings, deployment.issuer, deployment.clock)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=PUBLIC_URL) as client:
        farm = await client.post(deployment.v2, data=deployment.form(scope=f"{FARM}/.default"))
        own = await client.post(deployment.v2, data=deployment.form())
        older = await client.post(deployment.v1, data=deployment.form_v1())
    assert farm.json()["expires_in"] == 900
    assert claims_of(farm.json()["access_token"])["exp"] == NOW + 900
    assert "refresh_in" not in farm.json()
    # MSAL fetches the next one at half of a long life.
    assert (own.json()["expires_in"], own.json()["refresh_in"]) == (86_399, 43_199)
    assert claims_of(own.json()["access_token"])["exp"] == NOW + 86_399
    assert older.json()["expires_in"] == "900"
