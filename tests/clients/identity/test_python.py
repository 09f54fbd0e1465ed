"""MSAL and azure-identity for Python, and requests, as they are."""

import pytest
from tests.clients.identity.claims import claims_of
from tests.clients.identity.conftest import CLUSTER, FARM, PASSWORD, Client
from tests.clients.identity.running import run_python


def good(client: Client, tokens: list[str], method: str) -> None:
    """The tokens for the two resources are what they should be, and the job service takes its own."""
    farm, cluster = tokens
    assert claims_of(farm)["aud"] == FARM
    assert claims_of(cluster)["aud"] == CLUSTER
    for token in tokens:
        claims = claims_of(token)
        assert (claims["tid"], claims["appid"]) == (client.tenant, client.client_id)
        assert claims["appidacr"] == method
        assert claims["iss"] == f"{client.authority}/"
    assert client.opens(cluster)
    assert not client.opens(farm)


def test_client_secret_credential(client):
    good(client, run_python(client.served, "client_secret", client.given())["tokens"], "1")


@pytest.mark.parametrize("chain", [False, True])
def test_certificate_credential(client, chain):
    given = client.given(path=str(client.pem), chain=chain)
    good(client, run_python(client.served, "certificate", given)["tokens"], "2")


def test_certificate_credential_from_a_pfx_file(client):
    given = client.given(path=str(client.pfx), password=PASSWORD)
    good(client, run_python(client.served, "certificate", given)["tokens"], "2")


METHODS = {"secret": "1", "certificate": "2"}


@pytest.mark.parametrize("by", METHODS)
@pytest.mark.parametrize("case", ["default", "default_async", "environment"])
def test_credential_by_environment_alone(client, case, by):
    told = {**client.environment(by=by), "SSL_CERT_FILE": str(client.served.ca)}
    good(client, run_python(client.served, case, client.given(), **told)["tokens"], METHODS[by])


@pytest.mark.parametrize("by", METHODS)
def test_credential_by_environment_and_the_program_turns_the_outside_look_off(client, by):
    given = client.given(options={"disable_instance_discovery": True})
    answer = run_python(client.served, "default", given, **client.environment(client.tenant, by=by))
    good(client, answer["tokens"], METHODS[by])


@pytest.mark.parametrize("by", METHODS)
def test_asynchronous_credential_asks_nobody_outside(client, by):
    told = {**client.environment(client.tenant, by=by), "SSL_CERT_FILE": str(client.served.ca)}
    good(client, run_python(client.served, "default_async", client.given(), **told)["tokens"], METHODS[by])


@pytest.mark.parametrize("by", METHODS)
def test_credential_whose_authority_alone_is_in_the_environment(client, by):
    more = {"path": str(client.pem)} if by == "certificate" else {}
    given = client.given(tenant="adfs", **more)
    answer = run_python(client.served, "in_environment", given, AZURE_AUTHORITY_HOST=client.served.url)
    good(client, answer["tokens"], METHODS[by])


@pytest.mark.parametrize(
    "known",
    [
        {"validate_authority": False},
        {"instance_discovery": False},
        {"instance_discovery": "{url}/common/discovery/instance"},
        {"validate_authority": False, "authority": "{url}/organizations"},
        {"validate_authority": False, "authority": "{url}/common"},
        {"authority": None, "oidc_authority": "{url}/{tenant}/v2.0"},
    ],
    ids=str,
)
def test_msal_however_the_authority_is_made_known(client, known):
    filled = {
        name: value.format(url=client.served.url, tenant=client.tenant) if isinstance(value, str) else value
        for name, value in {"authority": "{url}/{tenant}", **known}.items()
    }
    answer = run_python(
        client.served, "msal", client.given(credential=client.secret, options=filled), PYTHONWARNINGS="ignore"
    )
    good(client, [each["access_token"] for each in answer["answers"]], "1")


@pytest.mark.parametrize("by", ["thumbprint", "certificate", "pfx"])
def test_msal_by_certificate(client, by):
    credential = {
        "thumbprint": {"private_key": client.key, "thumbprint": client.thumbprint},
        # Its header holds the certificate, its thumbprint is SHA-256 and its algorithm PS256.
        "certificate": {"private_key": client.key, "public_certificate": client.certificate},
        "pfx": {"private_key_pfx_path": str(client.pfx), "passphrase": PASSWORD, "public_certificate": True},
    }[by]
    options = {"authority": client.authority, "validate_authority": False}
    answer = run_python(client.served, "msal", client.given(credential=credential, options=options))
    good(client, [each["access_token"] for each in answer["answers"]], "2")


def test_refusals_reach_people_in_the_words_they_know(client):
    wrong = run_python(client.served, "client_secret", client.given(client_secret="wrong"))
    assert wrong["error"] == "ClientAuthenticationError"
    assert "AADSTS7000215: Invalid client secret provided." in wrong["message"]
    nobody = "11111111-2222-3333-4444-555555555555"
    unknown = run_python(client.served, "client_secret", client.given(client_id=nobody))
    assert "AADSTS700016" in unknown["message"]
    elsewhere = run_python(client.served, "client_secret", client.given(tenant=nobody))
    # The client reads no more of this refusal than its status.
    assert "double check your tenant name or GUID" in elsewhere["message"]
    scope = run_python(client.served, "client_secret", client.given(scopes=["https://else.example/.default"]))
    assert "AADSTS500011" in scope["message"]


def test_plain_requests(client):
    answers = run_python(client.served, "plain", client.given(resource=CLUSTER))
    assert all(client.opens(answer["access_token"]) for answer in answers.values())
    assert answers["v2"]["expires_in"] == answers["get"]["expires_in"] == 3599
    assert answers["v1"]["expires_in"] == "3599"
    assert answers["v1"]["resource"] == CLUSTER
