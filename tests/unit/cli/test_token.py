import json

import httpx

SCOPE = "https://headland.example:8443/.default"
V2 = "/farm/oauth2/v2.0/token"


def cached_files(tmp_path):
    return list((tmp_path / "xdg_cache_home").rglob("*.json"))


def test_token_prints_the_token_alone(headland):
    result = headland("token")
    assert result.exit_code == 0
    assert result.stdout == f"token-1-client-1-{SCOPE}\n"


def test_tokens_are_cached_for_their_owner_alone(headland, stand_in, tmp_path):
    first, second = headland("token").stdout, headland("token").stdout
    assert first == second
    assert len(stand_in.tokens) == 1
    (file,) = cached_files(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert "client-1" not in file.name


def test_a_token_is_fetched_anew_five_minutes_before_its_end(headland, stand_in):
    headland("token")
    stand_in.now += 3599 - 301
    assert headland("token").stdout.startswith("token-1-")
    stand_in.now += 2
    assert headland("token").stdout.startswith("token-2-")


def test_each_client_tenant_and_scope_has_its_own(headland, stand_in):
    headland("token")
    assert headland("token", "--scope", "https://farm.example/.default").stdout.startswith(
        "token-2-client-1-https://farm"
    )
    assert headland("token", HEADLAND_CLIENT_ID="client-2").stdout.startswith("token-3-client-2-")
    assert headland("token", HEADLAND_TENANT="other").exit_code == 5
    assert len(stand_in.tokens) == 3


def test_a_damaged_cache_is_no_cache(headland, tmp_path):
    headland("token")
    for damage in ("", "[]", '{"access_token": 1, "expires_at": 9e99}', '{"access_token": "x"}'):
        (file,) = cached_files(tmp_path)
        file.write_text(damage)
        result = headland("token")
        assert result.exit_code == 0
        assert result.stdout.startswith("token-")


def test_a_cache_that_cannot_be_written_is_no_fault(headland, tmp_path):
    (tmp_path / "xdg_cache_home").write_text("a file where a folder should be")
    assert headland("token").exit_code == 0


def test_the_whole_answer(headland):
    headland("token")
    answer = json.loads(headland("token", "--json").stdout)
    assert answer == {"token_type": "Bearer", "expires_in": 3599, "access_token": f"token-2-client-1-{SCOPE}"}


def test_a_resource_asks_the_older_endpoint(headland, stand_in):
    result = headland("token", "--resource", "https://farm.example", "--json")
    assert json.loads(result.stdout)["expires_in"] == "3599"
    (request,) = stand_in.sent("POST", "/farm/oauth2/token")
    assert "resource=https%3A%2F%2Ffarm.example" in request.content.decode()
    assert (
        headland("token", "--resource", "https://farm.example").stdout
        == "token-2-client-1-https://farm.example\n"
    )


def test_scope_and_resource_exclude_each_other(headland):
    assert headland("token", "--scope", "a", "--resource", "b").exit_code == 2


def test_a_refused_scope_is_1(headland):
    result = headland("token", "--scope", "nonsense")
    assert result.exit_code == 1
    assert "no such scope" in result.stderr


def test_without_credentials_it_says_what_is_missing(bare_headland):
    result = bare_headland("token", HEADLAND_TENANT="farm")
    assert result.exit_code == 5
    assert "set HEADLAND_CLIENT_ID, HEADLAND_CLIENT_SECRET" in result.stderr
    assert "headland login" in result.stderr


def test_a_private_listener_has_no_tokens(headland):
    result = headland("token", HEADLAND_URL="http://headland.example:8998")
    assert result.exit_code == 2


def test_a_token_endpoint_that_fails(headland, stand_in):
    stand_in.instead["POST", V2] = [
        httpx.Response(503, text="busy"),
        httpx.Response(404),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"access_token": 7}),
        httpx.Response(400, json={"error": "invalid_client", "error_description": "no s3cr3t-of-client-1"}),
    ]
    results = [headland("token") for _ in range(5)]
    assert [result.exit_code for result in results] == [1, 4, 1, 1, 5]
    assert all(result.stderr.startswith("headland: ") for result in results)
    assert all(result.stderr.count("\n") == 1 for result in results)
    assert "s3cr3t" not in results[4].output


def test_a_cached_token_is_its_own_secrets_alone(headland):
    assert headland("token").exit_code == 0
    assert headland("token", HEADLAND_CLIENT_SECRET="another").exit_code == 5
