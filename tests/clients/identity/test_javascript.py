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


def test_default_credential_by_environment(client):
    answer = run_javascript(
        client.served,
        "default",
        client.given(),
        AZURE_AUTHORITY_HOST=client.served.url,
        AZURE_TENANT_ID=client.tenant,
        AZURE_CLIENT_ID=client.client_id,
        AZURE_CLIENT_SECRET=client.secret,
    )
    good(client, answer, "1")


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
