"""Every refusal: status, error, number, the opening of its text, and the form they all share."""

import gzip
import json
import re

import pytest
import structlog

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
NOBODY = "11111111-2222-3333-4444-555555555555"
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FORM = "application/x-www-form-urlencoded"


def check(answer, status: int, error: str, code: int, text: str) -> dict:
    """The whole form of a refusal."""
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    assert ("www-authenticate" in answer.headers) == (status == 401)
    body = answer.json()
    assert set(body) == {
        "error",
        "error_description",
        "error_codes",
        "timestamp",
        "trace_id",
        "correlation_id",
        "error_uri",
    }
    assert body["error"] == error
    assert body["error_codes"] == [code]
    assert GUID.fullmatch(body["trace_id"])
    assert body["timestamp"] == "2027-01-15 08:00:00Z"
    assert body["error_uri"] == f"{PUBLIC_URL}/error?code={code}"
    assert body["error_description"].startswith(f"AADSTS{code}: {text}"), body["error_description"]
    assert body["error_description"].endswith(
        f" Trace ID: {body['trace_id']} Correlation ID: {body['correlation_id']} "
        f"Timestamp: {body['timestamp']}"
    )
    return body


CASES = {
    "unknown client": (
        {"client_id": NOBODY},
        (400, "unauthorized_client", 700016),
        (
            f"Application with identifier '{NOBODY}' was not found in the directory 'meadow.example'. "
            "This can happen if"
        ),
    ),
    "malformed client id": (
        {"client_id": "drone"},
        (400, "unauthorized_client", 700038),
        "The value of 'client_id' is not a valid application identifier.",
    ),
    "wrong secret": (
        {"client_secret": "wrong"},
        (401, "invalid_client", 7000215),
        (
            "Invalid client secret provided. Ensure the secret being sent in the request is the client secret "
            "value, not the client secret ID, for a secret added to app '"
        ),
    ),
    "no secret": (
        {"client_secret": None},
        (401, "invalid_client", 7000218),
        "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    ),
    "empty secret": (
        {"client_secret": ""},
        (401, "invalid_client", 7000218),
        "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    ),
    "assertion": (
        {"client_secret": None, "client_assertion": "a.b.c", "client_assertion_type": "jwt-bearer"},
        (401, "invalid_client", 700027),
        "The client assertion can't be accepted",
    ),
    "secret and assertion": (
        {"client_assertion": "a.b.c"},
        (400, "invalid_request", 9002313),
        "Invalid request. Request is malformed or invalid. Send either",
    ),
    "other grant": (
        {"grant_type": "password"},
        (400, "unsupported_grant_type", 70003),
        "The app requested an unsupported grant type 'password'.",
    ),
    "no grant": (
        {"grant_type": None},
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'grant_type'.",
    ),
    "empty grant": (
        {"grant_type": ""},
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'grant_type'.",
    ),
    "no client id": (
        {"client_id": None},
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'client_id'.",
    ),
}

SCOPES = {
    "no scope": (
        None,
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'scope'.",
    ),
    "empty scope": (
        "",
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'scope'.",
    ),
    "without default": (
        "https://farmbeats.azure.net",
        (400, "invalid_scope", 1002012),
        (
            "The provided value for scope https://farmbeats.azure.net is not valid. Client credential flows must "
            "have a scope value with /.default suffixed"
        ),
    ),
    "permission": (
        "https://farmbeats.azure.net/Read.All",
        (400, "invalid_scope", 1002012),
        "The provided value for scope https://farmbeats.azure.net/Read.All is not valid.",
    ),
    "several": (
        "https://farmbeats.azure.net/.default https://management.azure.com/.default",
        (400, "invalid_scope", 28000),
        "Provided value for the input parameter scope is not valid because it contains more than one",
    ),
    "malformed": (
        'https://farm"beats/.default',
        (400, "invalid_scope", 70011),
        (
            "The provided value for the input parameter 'scope' is not valid. "
            'The scope https://farm"beats/.default is not valid.'
        ),
    ),
    "two blanks": (
        "https://farmbeats.azure.net/.default  x",
        (400, "invalid_scope", 70011),
        "The provided value for the input parameter 'scope' is not valid.",
    ),
    "nothing before default": (
        "/.default",
        (400, "invalid_scope", 70011),
        "The provided value for the input parameter 'scope' is not valid. The scope /.default is not valid.",
    ),
    "unknown resource": (
        "https://elsewhere.example/.default",
        (400, "invalid_resource", 500011),
        (
            "The resource principal named https://elsewhere.example was not found in the tenant named "
            "meadow.example."
        ),
    ),
    "part of a known resource": (
        "https://farmbeats.azure.net/x/.default",
        (400, "invalid_resource", 500011),
        "The resource principal named https://farmbeats.azure.net/x was not found",
    ),
}

RESOURCES = {
    "no resource": (
        None,
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'resource'.",
    ),
    "unknown resource": (
        "https://elsewhere.example",
        (400, "invalid_resource", 500011),
        "The resource principal named https://elsewhere.example was not found",
    ),
}


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("case", CASES)
async def test_client_is_refused(deployment, case, version):
    changes, expected, text = CASES[case]
    form = deployment.form(**changes) if version == "v2" else deployment.form_v1(**changes)
    answer = await deployment.tokens.post(getattr(deployment, version), data=form)
    check(answer, *expected, text)


@pytest.mark.parametrize("case", SCOPES)
async def test_scope_is_refused(deployment, case):
    scope, expected, text = SCOPES[case]
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(scope=scope))
    check(answer, *expected, text)


@pytest.mark.parametrize("case", RESOURCES)
async def test_resource_is_refused(deployment, case):
    resource, expected, text = RESOURCES[case]
    answer = await deployment.tokens.post(deployment.v1, data=deployment.form_v1(resource=resource))
    check(answer, *expected, text)


async def test_who_does_not_show_a_secret_learns_nothing_of_resources(deployment):
    form = deployment.form(client_secret="wrong", scope="https://elsewhere.example/.default")
    assert (await deployment.tokens.post(deployment.v2, data=form)).json()["error_codes"] == [7000215]


@pytest.mark.parametrize(
    ("tenant", "code", "text"),
    [
        (NOBODY, 90002, f"Tenant '{NOBODY}' not found."),
        ("other.example", 90002, "Tenant 'other.example' not found."),
        ("no tenant!", 900023, "Specified tenant identifier 'no tenant!' is neither a valid DNS name"),
    ],
)
@pytest.mark.parametrize("path", ["oauth2/token", "oauth2/v2.0/token"])
async def test_tenant_is_refused(deployment, tenant, code, text, path):
    answer = await deployment.tokens.post(f"/{tenant}/{path}", data={**deployment.form(), "resource": "x"})
    check(answer, 400, "invalid_request", code, text)


async def test_expired_secret_is_told_apart_from_a_wrong_one(deployment):
    deployment.clock.now += 731 * 86_400
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form())
    body = answer.json()
    assert (answer.status_code, body["error"], body["error_codes"]) == (401, "invalid_client", [7000222])
    client_id = deployment.first.client_id
    assert body["error_description"].startswith(
        f"AADSTS7000222: The provided client secret keys for app '{client_id}' are expired."
    )
    wrong = await deployment.tokens.post(deployment.v2, data=deployment.form(client_secret="wrong"))
    assert wrong.json()["error_codes"] == [7000215]


async def test_disabled_application_gets_no_token_until_it_is_enabled(deployment):
    drone = await deployment.register("Drone")
    credentials = {"client_id": drone["clientId"], "client_secret": drone["secret"]}
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}"
    await deployment.admin.patch(path, json={"disabled": True}, headers=headers)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(**credentials))
    check(
        answer,
        400,
        "unauthorized_client",
        7000112,
        f"Application '{drone['clientId']}'(Drone) is disabled.",
    )
    wrong = deployment.form(client_id=drone["clientId"], client_secret="wrong")
    assert (await deployment.tokens.post(deployment.v2, data=wrong)).json()["error_codes"] == [7000215]
    await deployment.admin.patch(path, json={"disabled": False}, headers=headers)
    await deployment.token(**credentials)


async def test_deleted_application_is_unknown(deployment):
    drone = await deployment.register()
    await deployment.admin.delete(
        f"/applications/{drone['clientId']}", headers=await deployment.as_administrator()
    )
    form = deployment.form(client_id=drone["clientId"], client_secret=drone["secret"])
    check(
        await deployment.tokens.post(deployment.v2, data=form),
        400,
        "unauthorized_client",
        700016,
        f"Application with identifier '{drone['clientId']}' was not found",
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, "Send credentials either in the Authorization header or as 'client_secret', not both."),
        ({"client_secret": None, "client_assertion": "a.b.c"}, "Send credentials either in the Auth"),
        ({"client_secret": None, "client_id": NOBODY}, "The Authorization header and 'client_id' name diff"),
    ],
)
async def test_basic_and_form_are_not_mixed(deployment, changes, problem):
    credentials = (deployment.first.client_id, deployment.first.secret)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(**changes), auth=credentials)
    check(
        answer,
        400,
        "invalid_request",
        9002313,
        "Invalid request. Request is malformed or invalid. " + problem,
    )


@pytest.mark.parametrize("header", ["Bearer x", "Basic", "Basic !!", "Basic bm9jb2xvbg==", "Basic //8="])
async def test_other_authorization_headers_are_refused(deployment, header):
    form = deployment.form(client_secret=None)
    answer = await deployment.tokens.post(deployment.v2, data=form, headers={"authorization": header})
    check(answer, 400, "invalid_request", 9002313, "Invalid request. Request is malformed or invalid. The")


async def test_wrong_secret_by_basic_is_answered_with_a_challenge(deployment):
    form = deployment.form(client_secret=None)
    answer = await deployment.tokens.post(
        deployment.v2, data=form, auth=(deployment.first.client_id, "wrong")
    )
    check(answer, 401, "invalid_client", 7000215, "Invalid client secret provided.")
    assert answer.headers["www-authenticate"].startswith("Basic ")


@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_query_string_is_no_place_for_credentials(deployment, version):
    form = deployment.form() if version == "v2" else deployment.form_v1()
    answer = await deployment.tokens.post(getattr(deployment, version), params=form)
    check(
        answer,
        400,
        "invalid_request",
        900144,
        "The request body must contain the following parameter: 'grant_type'.",
    )
    secret = form.pop("client_secret")
    half = await deployment.tokens.post(
        getattr(deployment, version), params={"client_secret": secret}, data=form
    )
    assert half.json()["error_codes"] == [7000218]


@pytest.mark.parametrize(
    ("body", "media_type", "problem"),
    [
        (b"grant_type=a&grant_type=b", FORM, "The parameter 'grant_type' is repeated."),
        (b"grant_type", FORM, "The body is not a urlencoded form."),
        (b"grant_type=%ff", FORM, "The body is not UTF-8."),
        (b"grant_type=\xff", FORM, "The body is not UTF-8."),
        (b"&".join(b"f%d=1" % n for n in range(65)), FORM, "The body has more than 64 parameters."),
        (b"x", "multipart/form-data", "The media type multipart/form-data names no boundary."),
        (b"x", "multipart/form-data; boundary=b", "The body is not a multipart form."),
        (
            b'--b\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_cre',
            "multipart/form-data; boundary=b",
            "The body ends before its last boundary.",
        ),
        (
            b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n",
            "multipart/form-data; boundary=b",
            "A part of the body has no name.",
        ),
        (
            b'--b\r\nContent-Disposition: form-data; name="scope"; filename="s"\r\n\r\nx\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            "The parameter 'scope' is sent as a file; send it as a plain field.",
        ),
        (
            (
                b'--b\r\nContent-Disposition: form-data; name="scope"\r\n\r\nx\r\n'
                b'--b\r\nContent-Disposition: form-data; name="scope"\r\n\r\ny\r\n--b--\r\n'
            ),
            "multipart/form-data; boundary=b",
            "The parameter 'scope' is repeated.",
        ),
    ],
)
async def test_malformed_body_is_refused(deployment, body, media_type, problem):
    answer = await deployment.tokens.post(deployment.v2, content=body, headers={"content-type": media_type})
    check(
        answer,
        400,
        "invalid_request",
        9002313,
        "Invalid request. Request is malformed or invalid. " + problem,
    )


async def test_other_media_types_are_refused(deployment):
    answer = await deployment.tokens.post(deployment.v2, json=deployment.form())
    check(answer, 415, "invalid_request", 9002313, "Invalid request.")
    assert "application/x-www-form-urlencoded or multipart/form-data" in answer.text
    form = {name: (None, value) for name, value in deployment.form_v1().items()}
    answer = await deployment.tokens.post(deployment.v1, files=form)
    check(answer, 415, "invalid_request", 9002313, "Invalid request.")


@pytest.mark.parametrize("packed", [False, True])
async def test_oversize_body_is_refused(deployment, packed):
    body = b"grant_type=" + b"x" * 65_536
    headers = {"content-type": FORM, **({"content-encoding": "gzip"} if packed else {})}
    answer = await deployment.tokens.post(
        deployment.v2, content=gzip.compress(body) if packed else body, headers=headers
    )
    check(
        answer, 413, "invalid_request", 9002313, "Invalid request. Request is malformed or invalid. The body"
    )


async def test_largest_body_is_taken(deployment):
    form = {**deployment.form(), "padding": ""}
    padding = 65_536 - len("&".join(f"{name}={value}" for name, value in form.items()))
    body = "&".join(f"{name}={value}" for name, value in {**form, "padding": "x" * padding}.items())
    assert len(body) == 65_536
    answer = await deployment.tokens.post(deployment.v2, content=body, headers={"content-type": FORM})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "oauth2/v2.0/token", "GET, HEAD, POST"),
        ("GET", "oauth2/token", "POST"),
        ("DELETE", "oauth2/token", "POST"),
        ("POST", "v2.0/.well-known/openid-configuration", "GET, HEAD"),
    ],
)
async def test_wrong_method_is_refused(deployment, method, path, allowed):
    answer = await deployment.tokens.request(method, f"/{deployment.tenant}/{path}")
    check(
        answer,
        405,
        "invalid_request",
        900561,
        f"The endpoint only accepts {allowed} requests. Received a {method} request.",
    )
    assert answer.headers["allow"] == allowed


async def test_correlation_id_is_the_clients_own_where_it_is_one(deployment):
    own = "0A1B2C3D-0000-4000-8000-0123456789AB"
    bad = deployment.form(client_secret="wrong")
    by_header = await deployment.tokens.post(deployment.v2, data=bad, headers={"client-request-id": own})
    assert by_header.json()["correlation_id"] == own
    by_query = await deployment.tokens.post(f"{deployment.v2}?client-request-id={own}", data=bad)
    assert by_query.json()["correlation_id"] == own
    forged = await deployment.tokens.post(
        deployment.v2, data=bad, headers={"client-request-id": "x Trace ID: y"}
    )
    assert GUID.fullmatch(forged.json()["correlation_id"])


async def test_error_uri_leads_to_the_meaning(deployment):
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(client_secret="wrong"))
    meaning = await deployment.tokens.get(answer.json()["error_uri"])
    assert meaning.status_code == 200
    (error,) = meaning.json()["errors"]
    assert (error["code"], error["status"], error["error"]) == (7000215, 401, "invalid_client")
    for code in ("0", "", "7000215x"):
        assert (await deployment.tokens.get(f"/error?code={code}")).status_code == 404


async def test_no_secret_or_token_reaches_an_answer_or_the_log(deployment):
    secret = "very-secret-text"
    sent = [
        {"data": deployment.form(client_secret=secret)},
        {"data": deployment.form(client_id=secret)},
        {"data": deployment.form(client_id=NOBODY, client_secret=secret)},
        {"data": deployment.form(client_secret=secret, grant_type="x")},
        {"data": deployment.form(client_secret=None, client_assertion=secret)},
        {"data": deployment.form(client_secret=None), "auth": (NOBODY, secret)},
        {"data": deployment.form(client_secret=None), "auth": (secret, secret)},
        {"data": deployment.form(client_secret=secret), "auth": (NOBODY, secret)},
        {"content": f"client_secret={secret}&client_secret={secret}", "headers": {"content-type": FORM}},
        {"content": f"client_secret:{secret}", "headers": {"content-type": FORM}},
        {"json": deployment.form(client_secret=secret)},
        {"files": {"client_secret": (secret, secret)}},
    ]
    with structlog.testing.capture_logs() as logs:
        for request in sent:
            answer = await deployment.tokens.post(deployment.v2, **request)
            assert answer.status_code >= 400
            assert secret not in answer.text
        token = await deployment.token()
    assert [line["event"] for line in logs] == ["token.refused"] * len(sent) + ["token.issued"]
    written = json.dumps(logs)
    assert secret not in written
    assert deployment.first.secret not in written
    assert token not in written


async def test_log_says_who_was_refused_and_why(deployment):
    own = "0a1b2c3d-0000-4000-8000-0123456789ab"
    with structlog.testing.capture_logs() as logs:
        await deployment.tokens.post(
            deployment.v2, data=deployment.form(client_id=NOBODY), headers={"client-request-id": own}
        )
        await deployment.token()
    refused, issued = logs
    assert refused == {
        "event": "token.refused",
        "log_level": "warning",
        "tenant": deployment.tenant,
        "client_id": NOBODY,
        "code": 700016,
        "correlation_id": own,
    }
    assert issued == {
        "event": "token.issued",
        "log_level": "info",
        "tenant": deployment.tenant,
        "client_id": deployment.first.client_id,
        "resource": PUBLIC_URL,
    }


async def test_locked_database_is_told_as_a_passing_trouble(deployment, monkeypatch):
    from headland.database import DatabaseUnavailableError

    def unavailable(_query):
        raise DatabaseUnavailableError("locked")

    monkeypatch.setattr(deployment.database, "read", unavailable)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form())
    check(answer, 503, "temporarily_unavailable", 90033, "A transient error has occurred. Please try again.")
    assert answer.headers["retry-after"] == "1"


async def test_what_nobody_foresaw_is_answered_in_the_same_form(deployment, monkeypatch):
    def broken(_claims):
        raise RuntimeError("secret inner workings")

    monkeypatch.setattr(deployment.issuer, "sign", broken)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form())
    check(answer, 500, "server_error", 50000, "There was an error issuing a token.")
    assert "inner workings" not in answer.text
