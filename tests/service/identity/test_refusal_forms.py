"""Refusals of bodies and methods, what is echoed in a refusal, and what is never shown or logged."""

import gzip
import json
import re

import pytest
import structlog

from headland.database import DatabaseUnavailableError
from headland.identity import store

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
NOBODY = "11111111-2222-3333-4444-555555555555"
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
FORM = "application/x-www-form-urlencoded"


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
            (
                b'--b\r\nContent-Disposition: form-data; name="scope"\r\n\r\nx\r\n'
                b'--b\r\nContent-Disposition: form-data; name="scope"\r\n\r\ny\r\n--b--\r\n'
            ),
            "multipart/form-data; boundary=b",
            "The parameter 'scope' is repeated.",
        ),
    ],
)
async def test_malformed_body_is_refused(deployment, check_refusal, body, media_type, problem):
    answer = await deployment.tokens.post(deployment.v2, content=body, headers={"content-type": media_type})
    check_refusal(
        answer,
        400,
        "invalid_request",
        9002313,
        "Invalid request. Request is malformed or invalid. " + problem,
    )


async def test_other_media_types_are_refused(deployment, check_refusal):
    answer = await deployment.tokens.post(deployment.v2, json=deployment.form())
    check_refusal(answer, 415, "invalid_request", 9002313, "Invalid request.")
    assert "application/x-www-form-urlencoded or multipart/form-data" in answer.text
    form = {name: (None, value) for name, value in deployment.form_v1().items()}
    answer = await deployment.tokens.post(deployment.v1, files=form)
    check_refusal(answer, 415, "invalid_request", 9002313, "Invalid request.")


@pytest.mark.parametrize("packed", [False, True])
async def test_oversize_body_is_refused(deployment, check_refusal, packed):
    body = b"grant_type=" + b"x" * 65_536
    headers = {"content-type": FORM, **({"content-encoding": "gzip"} if packed else {})}
    answer = await deployment.tokens.post(
        deployment.v2, content=gzip.compress(body) if packed else body, headers=headers
    )
    check_refusal(
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
async def test_wrong_method_is_refused(deployment, check_refusal, method, path, allowed):
    answer = await deployment.tokens.request(method, f"/{deployment.tenant}/{path}")
    check_refusal(
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
        {
            "data": deployment.form(
                client_secret=None, client_assertion=secret, client_assertion_type=JWT_BEARER
            )
        },
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
        "credential_id": issued["credential_id"],
    }
    (secret,) = deployment.database.read(
        lambda connection: store.find_application(connection, deployment.first.client_id)
    ).secrets
    assert issued["credential_id"] == secret.id


async def test_locked_database_is_told_as_a_passing_trouble(deployment, check_refusal, monkeypatch):
    def unavailable(*_):
        raise DatabaseUnavailableError("locked")

    for reading in ("read", "read_remembered", "version"):
        monkeypatch.setattr(deployment.database, reading, unavailable)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form())
    check_refusal(
        answer, 503, "temporarily_unavailable", 90033, "A transient error has occurred. Please try again."
    )
    assert answer.headers["retry-after"] == "1"


async def test_what_nobody_foresaw_is_answered_in_the_same_form(deployment, check_refusal, monkeypatch):
    def broken(_claims):
        raise RuntimeError("secret inner workings")

    monkeypatch.setattr(deployment.issuer, "sign", broken)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form())
    check_refusal(answer, 500, "server_error", 50000, "There was an error issuing a token.")
    assert "inner workings" not in answer.text
