import base64

import pytest

from headland.identity.refusals import TokenRefusedError
from headland.identity.token_request import TokenRequest, loggable_client_id, token_request

CLIENT = "0a1b2c3d-0000-4000-8000-0123456789ab"
FORM = {"grant_type": "client_credentials", "client_id": CLIENT, "client_secret": "s", "scope": "x"}


def basic(client_id: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()


def test_request_by_form():
    assert token_request(FORM, None, "scope") == TokenRequest(CLIENT, "s", "x")


def test_secret_is_not_in_a_requests_representation():
    assert "hidden" not in repr(TokenRequest(CLIENT, "hidden", "x"))


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC"])
def test_request_by_basic_with_urlencoded_parts(scheme):
    header = basic(CLIENT, "a%2Bb+c%3A:d").replace("Basic", scheme)
    form = {"grant_type": "client_credentials", "resource": "x"}
    assert token_request(form, header, "resource") == TokenRequest(CLIENT, "a+b c::d", "x")


@pytest.mark.parametrize("missing", ["grant_type", "client_id", "scope"])
@pytest.mark.parametrize("empty", [False, True])
def test_missing_parameter_is_named(missing, empty):
    form = {name: value for name, value in FORM.items() if name != missing}
    if empty:
        form[missing] = ""
    with pytest.raises(TokenRefusedError, match=f"'{missing}'") as caught:
        token_request(form, None, "scope")
    assert caught.value.case.code == 900144


def test_basic_without_client_id_counts_as_missing():
    with pytest.raises(TokenRefusedError, match="'client_id'"):
        token_request({"grant_type": "client_credentials", "scope": "x"}, basic("", "s"), "scope")


@pytest.mark.parametrize(
    ("fields", "authorization", "shown"),
    [
        ({"client_id": CLIENT}, None, CLIENT),
        ({"client_id": CLIENT.upper()}, None, CLIENT.upper()),
        ({"client_id": "a-secret"}, None, None),
        ({}, None, None),
        ({}, basic(CLIENT, "s"), CLIENT),
        ({}, basic("a-secret", "s"), None),
        ({}, "Bearer x", None),
        ({}, "Basic !", None),
    ],
)
def test_only_a_real_client_id_is_logged(fields, authorization, shown):
    assert loggable_client_id(fields, authorization) == shown
