"""MSAL and azure-identity for JavaScript, as they are."""

import pytest
from tests.clients.identity.claims import claims_of
from tests.clients.identity.conftest import CLUSTER, FARM, Client
from tests.clients.identity.running import run_javascript


def good(client: Client, answer: dict, method: str) -> None:
    """The tokens for the two resources are what they should be, and the job service takes its own."""
    assert "error" not in answer, answer
    farm, cluster = answer["tokens"]
    assert (claims_of(farm)["aud"], claims_of(cluster)["aud"]) == (FARM, CLUSTER)
    assert claims_of(farm)["appidacr"] == claims_of(cluster)["appidacr"] == method
    assert client.opens(cluster)


def test_client_secret_credential(client):
    good(client, run_javascript(client.served, "client_secret", client.given()), "1")


@pytest.mark.parametrize("chain", [False, True])
def test_client_certificate_credential(client, chain):
    given = client.given(path=str(client.pem), chain=chain)
    good(client, run_javascript(client.served, "certificate", given), "2")


METHODS = {"secret": "1", "certificate": "2"}


@pytest.mark.parametrize("by", METHODS)
@pytest.mark.parametrize("case", ["default", "environment"])
def test_credential_by_environment_alone(client, case, by):
    good(
        client, run_javascript(client.served, case, client.given(), **client.environment(by=by)), METHODS[by]
    )


@pytest.mark.parametrize("by", METHODS)
def test_credential_by_environment_and_the_program_turns_the_outside_look_off(client, by):
    given = client.given(options={"disableInstanceDiscovery": True})
    answer = run_javascript(client.served, "default", given, **client.environment(client.tenant, by=by))
    good(client, answer, METHODS[by])


@pytest.mark.parametrize("by", METHODS)
def test_credential_whose_authority_alone_is_in_the_environment(client, by):
    more = {"path": str(client.pem)} if by == "certificate" else {}
    given = client.given(tenant="adfs", **more)
    answer = run_javascript(client.served, "in_environment", given, AZURE_AUTHORITY_HOST=client.served.url)
    good(client, answer, METHODS[by])


@pytest.mark.parametrize("by", ["secret", "thumbprint", "thumbprintSha256"])
def test_msal_with_a_known_authority(client, by):
    auth = {
        "clientId": client.client_id,
        "authority": client.authority,
        "knownAuthorities": [client.host],
    }
    if by == "secret":
        auth["clientSecret"] = client.secret
    else:
        thumbprint = client.thumbprint if by == "thumbprint" else client.thumbprint_sha256
        auth["clientCertificate"] = {by: thumbprint, "privateKey": client.key, "x5c": client.certificate}
    answer = run_javascript(client.served, "msal", client.given(auth=auth))
    good(client, answer, "1" if by == "secret" else "2")


def test_refusals_reach_people_in_the_words_they_know(client):
    answer = run_javascript(client.served, "client_secret", client.given(client_secret="wrong"))
    # The client makes one error of all, and quotes the service in it.
    assert answer["error"] == "AuthenticationRequiredError"
    assert "AADSTS7000215: Invalid client secret provided." in answer["message"]
