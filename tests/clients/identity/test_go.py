"""azidentity for Go, and MSAL for Go below it, as they are."""

import pytest
from tests.clients.identity.claims import claims_of
from tests.clients.identity.conftest import CLUSTER, FARM
from tests.clients.identity.running import run_go


@pytest.mark.parametrize(
    ("case", "more", "method"),
    [("client_secret", {}, "1"), ("certificate", {}, "2"), ("certificate", {"chain": True}, "2")],
)
def test_credential(client, case, more, method):
    answer = run_go(client.served, case, client.given(path=str(client.pem), **more))
    assert "message" not in answer, answer
    farm, cluster = answer["tokens"]
    assert (claims_of(farm)["aud"], claims_of(cluster)["aud"]) == (FARM, CLUSTER)
    assert claims_of(farm)["appidacr"] == claims_of(cluster)["appidacr"] == method
    assert client.opens(cluster)


@pytest.mark.parametrize(("by", "method"), [("secret", "1"), ("certificate", "2")])
@pytest.mark.parametrize("case", ["default", "environment"])
def test_credential_by_environment_alone(client, case, by, method):
    answer = run_go(client.served, case, client.given(), **client.environment(by=by))
    assert "message" not in answer, answer
    assert [claims_of(token)["appidacr"] for token in answer["tokens"]] == [method, method]
    assert client.opens(answer["tokens"][1])


def test_refusals_reach_people_in_the_words_they_know(client):
    answer = run_go(client.served, "client_secret", client.given(client_secret="wrong"))
    assert "AADSTS7000215: Invalid client secret provided." in answer["message"]
