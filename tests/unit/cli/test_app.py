import json

import httpx

SHOWN_ONCE = "abc~shown~once"


def test_create_shows_what_has_to_be_kept(headland, stand_in):
    result = headland("app", "create", "Combine harvester")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Application (client) ID  app-0",
        "Directory (tenant) ID    tenant-1",
        "App Name                 Combine harvester",
        f"Client secret            {SHOWN_ONCE}",
        "Secret ID                secret-0",
        "Expires (UTC)            2028-11-20 10:26:06",
        "",
        "The secret is shown this once: keep it now.",
    ]
    (made,) = stand_in.sent("POST", "/identity/applications")
    assert json.loads(made.content) == {"name": "Combine harvester"}
    (secret,) = stand_in.sent("POST", "/identity/applications/app-0/secrets")
    assert json.loads(secret.content) == {}


def test_create_an_administrator_with_a_short_secret(headland, stand_in):
    document = json.loads(
        headland("app", "create", "x", "--administrator", "--secret-days", "7", "--json").stdout
    )
    assert document["application"]["administrator"] is True
    assert document["application"]["clientId"] == document["secret"]["clientId"] == "app-0"
    assert document["secret"]["secret"] == SHOWN_ONCE
    (secret,) = stand_in.sent("POST", "/identity/applications/app-0/secrets")
    assert json.loads(secret.content) == {"lifetimeDays": 7}


def test_an_application_whose_secret_failed_is_not_lost(headland, stand_in):
    path = "/identity/applications/app-0/secrets"
    stand_in.instead["POST", path] = [httpx.Response(403, json={"msg": "lifetime"})]
    result = headland("app", "create", "x")
    assert result.exit_code == 5
    assert result.stderr.startswith("headland: application app-0 was registered, but has no secret yet: ")
    assert "`headland app secret add app-0` makes one" in result.stderr


def test_list(headland, stand_in):
    headland("app", "create", "First", "--administrator")
    headland("app", "create", "Second")
    stand_in.applications["app-1"]["disabled"] = True
    result = headland("app", "list")
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["Client", "id", "Name", "Administrator", "State"],
        ["app-0", "First", "yes", "enabled"],
        ["app-1", "Second", "no", "disabled"],
    ]
    document = json.loads(headland("app", "list", "--json").stdout)
    assert document == {"applications": list(stand_in.applications.values())}


def test_a_list_with_real_ids_fits_a_terminal_of_80_columns(headland, stand_in):
    headland("app", "create", "N" * 100)
    id_ = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    stand_in.applications["app-0"]["clientId"] = id_
    stand_in.applications["app-0"]["secrets"][0]["id"] = id_
    for arguments in (["app", "list"], ["app", "secret", "list", "app-0"]):
        output = headland(*arguments, FORCE_COLOR="1", TERM="dumb").stdout
        assert id_ in output
        assert all(len(line) <= 80 for line in output.splitlines())


def test_show(headland, stand_in):
    headland("app", "create", "First")
    result = headland("app", "show", "app-0")
    assert "Application (client) ID  app-0\n" in result.stdout
    assert "State                    enabled\n" in result.stdout
    assert "secret-0" in result.stdout
    assert "abc…" in result.stdout
    assert json.loads(headland("app", "show", "app-0", "--json").stdout) == stand_in.applications["app-0"]


def test_disable_and_enable(headland, stand_in):
    headland("app", "create", "First")
    assert headland("app", "disable", "app-0").stdout == "Application app-0: disabled.\n"
    assert stand_in.applications["app-0"]["disabled"] is True
    assert headland("app", "enable", "app-0").stdout == "Application app-0: enabled.\n"
    assert stand_in.applications["app-0"]["disabled"] is False
    assert json.loads(headland("app", "disable", "app-0", "--json").stdout)["disabled"] is True
    assert headland("app", "enable", "app-0", "--quiet").output == ""


def test_delete(headland, stand_in):
    headland("app", "create", "First")
    assert headland("app", "delete", "app-0").stdout == "Application app-0: deleted.\n"
    assert not stand_in.applications


def test_secret_add(headland, stand_in):
    headland("app", "create", "First")
    result = headland("app", "secret", "add", "app-0", "--name", "laptop", "--days", "30")
    assert f"Client secret            {SHOWN_ONCE}\n" in result.stdout
    assert "App Name                 First\n" in result.stdout
    assert "shown this once" in result.stdout
    assert json.loads(stand_in.requests[-1].content) == {"name": "laptop", "lifetimeDays": 30}
    assert len(stand_in.applications["app-0"]["secrets"]) == 2
    assert json.loads(headland("app", "secret", "add", "app-0", "--json").stdout)["secret"] == SHOWN_ONCE


def test_secret_list(headland, stand_in):
    headland("app", "create", "First")
    headland("app", "secret", "add", "app-0", "--name", "laptop")
    result = headland("app", "secret", "list", "app-0")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["secret-0", "-", "abc…", "2028-11-20", "10:26:06"],
        ["secret-1", "laptop", "abc…", "2028-11-20", "10:26:06"],
    ]
    assert SHOWN_ONCE not in result.output
    document = json.loads(headland("app", "secret", "list", "app-0", "--json").stdout)
    assert document == {"secrets": stand_in.applications["app-0"]["secrets"]}


def test_secret_revoke(headland, stand_in):
    headland("app", "create", "First")
    assert headland("app", "secret", "revoke", "app-0", "secret-0").stdout == "Secret secret-0: revoked.\n"
    assert stand_in.applications["app-0"]["secrets"] == []
    result = headland("app", "secret", "revoke", "app-0", "secret-0")
    assert result.exit_code == 4
    assert "application 'app-0' has no secret 'secret-0'" in result.stderr


def test_an_application_that_is_not_there_is_4(headland):
    for command in (["show"], ["delete"], ["disable"], ["enable"], ["secret", "list"], ["secret", "add"]):
        result = headland("app", *command, "a/b")
        assert result.exit_code == 4, command
        assert result.stderr == (
            "headland: there is no application 'a/b'; `headland app list` shows those there are\n"
        )


def test_one_who_is_no_administrator_is_5(headland, stand_in):
    stand_in.instead["GET", "/identity/applications"] = [
        httpx.Response(403, json={"msg": "Administrators only."})
    ]
    result = headland("app", "list")
    assert result.exit_code == 5
    assert "Administrators only." in result.stderr
