"""Every refusal of client, scope, resource and tenant: status, error, number and the opening of its text."""

import pytest

pytestmark = pytest.mark.anyio

NOBODY = "11111111-2222-3333-4444-555555555555"


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
    "assertion of another type": (
        {"client_secret": None, "client_assertion": "a.b.c", "client_assertion_type": "jwt-bearer"},
        (400, "invalid_request", 90023),
        "Invalid STS request. 'client_assertion_type' must be 'urn:ietf:params:oauth:client-assertion-type:jwt-",
    ),
    "assertion of no type": (
        {"client_secret": None, "client_assertion": "a.b.c"},
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'client_assertion_type'.",
    ),
    "type of no assertion": (
        {"client_secret": None, "client_assertion_type": "x"},
        (400, "invalid_request", 900144),
        "The request body must contain the following parameter: 'client_assertion'.",
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
    "of OpenID Connect alone": (
        "openid profile",
        (400, "invalid_scope", 1002012),
        "The provided value for scope openid profile is not valid. Client credential flows must have a scope",
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
async def test_client_is_refused(deployment, check_refusal, case, version):
    changes, expected, text = CASES[case]
    form = deployment.form(**changes) if version == "v2" else deployment.form_v1(**changes)
    answer = await deployment.tokens.post(getattr(deployment, version), data=form)
    check_refusal(answer, *expected, text)


@pytest.mark.parametrize("case", SCOPES)
async def test_scope_is_refused(deployment, check_refusal, case):
    scope, expected, text = SCOPES[case]
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(scope=scope))
    check_refusal(answer, *expected, text)


@pytest.mark.parametrize("case", RESOURCES)
async def test_resource_is_refused(deployment, check_refusal, case):
    resource, expected, text = RESOURCES[case]
    answer = await deployment.tokens.post(deployment.v1, data=deployment.form_v1(resource=resource))
    check_refusal(answer, *expected, text)


async def test_who_does_not_show_a_secret_learns_nothing_of_resources(deployment):
    form = deployment.form(client_secret="wrong", scope="https://elsewhere.example/.default")
    assert (await deployment.tokens.post(deployment.v2, data=form)).json()["error_codes"] == [7000215]


@pytest.mark.parametrize(
    "expected",
    [
        (NOBODY, 90002, f"Tenant '{NOBODY}' not found."),
        ("other.example", 90002, "Tenant 'other.example' not found."),
        ("no tenant!", 900023, "Specified tenant identifier 'no tenant!' is neither a valid DNS name"),
    ],
)
@pytest.mark.parametrize("path", ["oauth2/token", "oauth2/v2.0/token"])
async def test_tenant_is_refused(deployment, check_refusal, expected, path):
    tenant, code, text = expected
    answer = await deployment.tokens.post(f"/{tenant}/{path}", data={**deployment.form(), "resource": "x"})
    check_refusal(answer, 400, "invalid_request", code, text)


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


async def test_disabled_application_gets_no_token_until_it_is_enabled(deployment, check_refusal):
    drone = await deployment.register("Drone")
    credentials = {"client_id": drone["clientId"], "client_secret": drone["secret"]}
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}"
    await deployment.admin.patch(path, json={"disabled": True}, headers=headers)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(**credentials))
    check_refusal(
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


async def test_deleted_application_is_unknown(deployment, check_refusal):
    drone = await deployment.register()
    await deployment.admin.delete(
        f"/applications/{drone['clientId']}", headers=await deployment.as_administrator()
    )
    form = deployment.form(client_id=drone["clientId"], client_secret=drone["secret"])
    check_refusal(
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
async def test_basic_and_form_are_not_mixed(deployment, check_refusal, changes, problem):
    credentials = (deployment.first.client_id, deployment.first.secret)
    answer = await deployment.tokens.post(deployment.v2, data=deployment.form(**changes), auth=credentials)
    check_refusal(
        answer,
        400,
        "invalid_request",
        9002313,
        "Invalid request. Request is malformed or invalid. " + problem,
    )


@pytest.mark.parametrize("header", ["Bearer x", "Basic", "Basic !!", "Basic bm9jb2xvbg==", "Basic //8="])
async def test_other_authorization_headers_are_refused(deployment, check_refusal, header):
    form = deployment.form(client_secret=None)
    answer = await deployment.tokens.post(deployment.v2, data=form, headers={"authorization": header})
    check_refusal(
        answer, 400, "invalid_request", 9002313, "Invalid request. Request is malformed or invalid. The"
    )


async def test_wrong_secret_by_basic_is_answered_with_a_challenge(deployment, check_refusal):
    form = deployment.form(client_secret=None)
    answer = await deployment.tokens.post(
        deployment.v2, data=form, auth=(deployment.first.client_id, "wrong")
    )
    check_refusal(answer, 401, "invalid_client", 7000215, "Invalid client secret provided.")
    assert answer.headers["www-authenticate"].startswith("Basic ")


@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_query_string_is_no_place_for_credentials(deployment, check_refusal, version):
    form = deployment.form() if version == "v2" else deployment.form_v1()
    answer = await deployment.tokens.post(getattr(deployment, version), params=form)
    check_refusal(
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
