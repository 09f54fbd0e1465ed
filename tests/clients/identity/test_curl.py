"""curl, as the job service's token request was specified: a GET with a multipart form; and the ways since."""

import json

import pytest
from tests.clients.identity.conftest import CLUSTER, Client
from tests.clients.identity.running import run_curl


def fields(client: Client) -> list[str]:
    return [
        "grant_type=client_credentials",
        f"client_id={client.client_id}",
        f"client_secret={client.secret}",
        f"scope={CLUSTER}/.default",
    ]


@pytest.mark.parametrize("named", [False, True], ids=["", "with the content type named"])
def test_get_with_a_multipart_form(client, named):
    header = ["--header", "Content-Type: multipart/form-data"] if named else []
    form = [part for each in fields(client) for part in ("--form", each)]
    said = run_curl(
        client.served,
        "--location",
        "--request",
        "GET",
        f"{client.authority}/oauth2/v2.0/token",
        *header,
        *form,
    )
    answer = json.loads(said)
    assert {name: type(value) for name, value in answer.items()} == {
        "token_type": str,
        "expires_in": int,
        "ext_expires_in": int,
        "access_token": str,
    }
    assert answer["token_type"] == "Bearer"
    assert client.opens(answer["access_token"])


def test_post_with_a_urlencoded_form(client):
    form = [part for each in fields(client) for part in ("--data-urlencode", each)]
    said = run_curl(client.served, f"{client.authority}/oauth2/v2.0/token", *form)
    assert client.opens(json.loads(said)["access_token"])


def test_post_to_the_older_endpoint(client):
    form = [part for each in fields(client)[:3] for part in ("--data-urlencode", each)]
    said = run_curl(
        client.served, f"{client.authority}/oauth2/token", *form, "--data-urlencode", f"resource={CLUSTER}"
    )
    answer = json.loads(said)
    assert all(isinstance(value, str) for value in answer.values())
    assert int(answer["expires_on"]) - int(answer["not_before"]) == int(answer["expires_in"])
    assert client.opens(answer["access_token"])


def test_credentials_by_http_basic(client):
    said = run_curl(
        client.served,
        f"{client.authority}/oauth2/v2.0/token",
        "--user",
        f"{client.client_id}:{client.secret}",
        "--data-urlencode",
        "grant_type=client_credentials",
        "--data-urlencode",
        f"scope={CLUSTER}/.default",
    )
    assert client.opens(json.loads(said)["access_token"])
