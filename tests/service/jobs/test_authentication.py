"""Who may call: bearer tokens everywhere, Basic and nobody where a setting says so, and `X-Requested-By`."""

import base64
import hmac
import json

import pytest
from joserfc import jws

from headland.settings import ServerSettings

pytestmark = pytest.mark.anyio

CLIENT = "99999999-8888-7777-6666-555555555555"
SECRET = "correct horse battery staple"
NOW = 1_800_000_000
SCOPE = "https://headland.test:8443/.default"
BEARER_CHALLENGE = f'Bearer realm="headland", scope="{SCOPE}"'
BASIC_CHALLENGE = 'Basic realm="headland", charset="UTF-8"'
ROUTES = [
    ("GET", "/batches"),
    ("POST", "/batches"),
    ("GET", "/batches/0"),
    ("DELETE", "/batches/0"),
    ("GET", "/batches/0/state"),
    ("GET", "/batches/0/log"),
    ("GET", "/batches/0/progress"),
    ("POST", "/batches/0/kill"),
    ("GET", "/version"),
]
BODY = {"file": "wasbs:///app.jar", "className": "demo.App"}


def basic(client_id: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()


def check_silent(answer, token: str) -> None:
    """No part of what was shown is in the answer."""
    told = answer.text + str(answer.headers)
    for part in {token, token.lower(), *token.split("."), *token.split()}:
        if len(part) > 8:
            assert part not in told


@pytest.mark.parametrize("listener", ["public", "private"])
async def test_without_a_token_nothing_is_done(service, check_error, listener):
    await service.submit()
    client = getattr(service, listener)
    for method, path in ROUTES:
        answer = await client.request(method, path, json=BODY, headers={"x-requested-by": "test"})
        check_error(answer, 401, f"access token>'. Ask for a token with the scope '{SCOPE}'.")
        assert answer.headers["www-authenticate"] == BEARER_CHALLENGE
    assert service.row(1) is None
    assert not service.row(0).unwanted


@pytest.mark.parametrize("audience", ["https://hilo.azurehdinsight.net", "https://hilo.azurehdinsight.net/"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
async def test_a_good_token_opens_the_door(service, audience, scheme):
    headers = {"authorization": f"{scheme} {service.token(aud=audience)}"}
    assert (await service.public.get("/batches", headers=headers)).status_code == 200


GOOD_TIMES = {
    "just made": {},
    "clocks that differ": {"nbf": NOW + 59},
    "expired within the leeway": {"exp": NOW - 59},
}


@pytest.mark.parametrize("claims", GOOD_TIMES.values(), ids=GOOD_TIMES)
async def test_clocks_may_differ_a_little(service, claims):
    headers = {"authorization": f"Bearer {service.token(**claims)}"}
    assert (await service.public.get("/batches", headers=headers)).status_code == 200


BAD_CLAIMS = {
    "expired": ({"exp": NOW - 61}, "The token has expired."),
    "expired long ago": ({"exp": 0}, "The token has expired."),
    "not valid yet": ({"nbf": NOW + 61}, "The token is not valid yet."),
    "for somebody else": (
        {"aud": "https://farmbeats.azure.net"},
        f"not for this service. Ask for a token with the scope '{SCOPE}'.",
    ),
    "for a part of us": (
        {"aud": "https://hilo.azurehdinsight.net.example"},
        "The token is for 'https://hilo.azurehdinsight.net.example', not for this service.",
    ),
    "of another issuer": ({"iss": "https://elsewhere/v2.0"}, "The token's issuer is not trusted here."),
    "of another tenant": ({"tid": CLIENT}, "The token's issuer is not trusted here."),
    "without an end": ({"exp": None}, "header or claims are malformed"),
    "without an audience": ({"aud": None}, "header or claims are malformed"),
    "with several audiences": (
        {"aud": ["https://hilo.azurehdinsight.net"]},
        "header or claims are malformed",
    ),
}


@pytest.mark.parametrize(("claims", "text"), BAD_CLAIMS.values(), ids=BAD_CLAIMS)
async def test_a_token_with_other_claims_is_refused(service, check_error, claims, text):
    token = service.token(**claims)
    headers = {"authorization": f"Bearer {token}", "x-requested-by": "test"}
    answer = await service.public.post("/batches", json=BODY, headers=headers)
    check_error(answer, 401, text)
    assert answer.headers["www-authenticate"].startswith(
        f'{BEARER_CHALLENGE}, error="invalid_token", error_description="'
    )
    check_silent(answer, token)
    assert service.is_untouched()


async def test_a_token_stops_being_good_when_it_expires_seen_before_or_not(service, check_error):
    headers = service.bearer()
    assert (await service.public.get("/batches", headers=headers)).status_code == 200
    service.clock.now += 3599 + 59
    assert (await service.public.get("/batches", headers=headers)).status_code == 200
    service.clock.now += 2
    check_error(await service.public.get("/batches", headers=headers), 401, "The token has expired.")


def part(content: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


@pytest.fixture
def forge(service, other_key):
    """Tokens of which something other than a claim is wrong, by what that is."""
    good = service.token()
    header, claims, signature = good.split(".")
    unsigned = part({"alg": "none", "kid": "first"})
    longer = part({**json.loads(base64.urlsafe_b64decode(claims + "==")), "exp": 2**40})
    # What a verifier would take that let the token choose how it is checked (RFC 8725 section 2.1).
    shared = f"{part({'alg': 'HS256', 'kid': 'first'})}.{claims}"
    mac = hmac.digest(service.key.as_pem(private=False), shared.encode(), "sha256")
    return {
        "another key": service.token(key=other_key),
        "another key's name": service.token(header={"kid": "second"}),
        "no key's name": jws.serialize_compact({"alg": "RS256"}, b"{}", service.key),
        "another signature": f"{header}.{claims}.{signature[:-8]}AAAAAAAA",
        "no signature": f"{header}.{claims}.",
        "changed claims": f"{header}.{longer}.{signature}",
        "no algorithm": f"{unsigned}.{claims}.",
        "the public key as a secret": f"{shared}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}",
        "four parts": f"{good}.{signature}",
        "two parts": f"{header}.{claims}",
        "no token": "abracadabra",
        "no base64": "a.b.c",
        "umlauts": "ü.ü.ü",
        "no JSON": ".".join([base64.urlsafe_b64encode(b"x").decode()] * 3),
        "huge": "x" * 20_000 + f".{claims}.{signature}",
    }


async def test_forged_tokens_are_refused(service, check_error, forge):
    for kind, token in forge.items():
        headers = {"authorization": f"Bearer {token}".encode(), "x-requested-by": "test"}
        answer = await service.public.post("/batches", json=BODY, headers=headers)
        check_error(answer, 401, "The token")
        assert 'error="invalid_token"' in answer.headers["www-authenticate"], kind
        check_silent(answer, token)
    assert service.is_untouched()


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Negotiate abcdefghijklmnop",
        "Digest username=abcdefghijkl",
        "token-without-a-word-before-it",
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl",
        basic(CLIENT, SECRET),
    ],
)
@pytest.mark.parametrize("listener", ["public", "private"])
async def test_other_kinds_of_authorization_are_refused(service, check_error, listener, authorization):
    answer = await getattr(service, listener).get("/batches", headers={"authorization": authorization})
    check_error(answer, 401, "")
    assert answer.headers["www-authenticate"] == BEARER_CHALLENGE
    check_silent(answer, authorization.removeprefix("Basic ").removeprefix("Negotiate "))


@pytest.fixture
async def basic_service(make_service):
    return await make_service(server=ServerSettings(private_authentication="basic"))


async def test_basic_opens_the_private_listener_where_allowed(basic_service):
    headers = {"authorization": basic(CLIENT, SECRET)}
    answer = await basic_service.private.post("/batches", json=BODY, headers=headers)
    assert (answer.status_code, answer.json()["owner"]) == (201, CLIENT)
    assert (await basic_service.private.get("/batches", headers=basic_service.bearer())).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    [
        basic(CLIENT, "wrong secret"),
        basic(CLIENT, ""),
        basic("nobody-at-all", SECRET),
        basic("", ""),
        "Basic",
        "Basic not-base64",
        "Basic " + base64.b64encode(b"no-colon-at-all").decode(),
        "Basic " + base64.b64encode(b"\xff:\xff").decode(),
    ],
)
async def test_wrong_basic_credentials_are_refused(basic_service, check_error, authorization):
    answer = await basic_service.private.get("/batches", headers={"authorization": authorization})
    check_error(answer, 401, "Client id or secret is wrong.")
    assert answer.headers["www-authenticate"] == BASIC_CHALLENGE
    check_silent(answer, authorization.removeprefix("Basic "))


async def test_who_shows_nothing_is_asked_for_basic_there(basic_service, check_error):
    answer = await basic_service.private.get("/batches")
    check_error(answer, 401, "A bearer token is needed")
    assert answer.headers["www-authenticate"] == BASIC_CHALLENGE


@pytest.mark.parametrize("mode", ["basic", "none"])
async def test_the_public_base_takes_tokens_and_nothing_else(make_service, check_error, mode):
    service = await make_service(server=ServerSettings(private_authentication=mode))
    for headers in ({}, {"authorization": basic(CLIENT, SECRET)}):
        answer = await service.public.get("/batches", headers=headers)
        check_error(answer, 401, "send 'Authorization: Bearer <access token>'")
        assert answer.headers["www-authenticate"] == BEARER_CHALLENGE


async def test_nobody_in_particular_is_let_in_where_allowed(make_service):
    service = await make_service(server=ServerSettings(private_authentication="none"))
    answer = await service.private.post("/batches", json=BODY)
    assert (answer.status_code, answer.json()["owner"]) == (201, None)
    assert (await service.private.get("/batches/0")).status_code == 200
    headers = service.bearer()
    assert (await service.private.post("/batches", json=BODY, headers=headers)).json()["owner"] == CLIENT


@pytest.mark.parametrize(
    "authorization", ["Bearer abracadabra", basic(CLIENT, "wrong secret"), "Negotiate abcdefghijklmnop", ""]
)
async def test_wrong_credentials_are_refused_even_there(make_service, check_error, authorization):
    service = await make_service(server=ServerSettings(private_authentication="none"))
    answer = await service.private.post("/batches", json=BODY, headers={"authorization": authorization})
    check_error(answer, 401, "")
    assert service.is_untouched()


MISSING_HEADER = "Missing Required Header for CSRF protection: X-Requested-By."


@pytest.mark.parametrize("value", [None, "", " ", "\t"])
@pytest.mark.parametrize("path", ["/batches", "/batches/", "/batches/0/kill"])
async def test_the_public_base_demands_requested_by_on_post(service, check_error, path, value):
    answer = await service.public.post(path, json=BODY, headers=service.headers(x_requested_by=value))
    check_error(answer, 400, MISSING_HEADER)
    assert service.is_untouched()


async def test_requested_by_is_asked_for_after_the_token(service, check_error):
    check_error(await service.public.post("/batches", json=BODY), 401, "A bearer token is needed")


async def test_requested_by_is_not_demanded_on_other_methods(service, controller):
    await service.submit()
    for path in ("/batches", "/batches/0", "/batches/0/state", "/batches/0/log"):
        assert (await service.get(path)).status_code == 200
    with controller(service):
        assert (await service.delete("/batches/0")).status_code == 200


async def test_requested_by_is_not_demanded_privately(service, controller):
    answer = await service.private.post("/batches", json=BODY, headers=service.bearer())
    assert answer.status_code == 201
    with controller(service):
        assert (await service.private.post("/batches/0/kill", headers=service.bearer())).status_code == 200


async def test_requested_by_is_demanded_privately_where_a_setting_says_so(make_service, check_error):
    service = await make_service(server=ServerSettings(private_requested_by=True))
    answer = await service.private.post("/batches", json=BODY, headers=service.bearer())
    check_error(answer, 400, MISSING_HEADER)
    assert (await service.private.post("/batches", json=BODY, headers=service.headers())).status_code == 201
