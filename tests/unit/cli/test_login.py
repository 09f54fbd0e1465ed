from pathlib import Path

from headland.cli import login as login_module
from headland.cli.profile import Profile, profile_file, read_profile

URL = "https://headland.example:8443"
SECRET = "s3cr3t-of-client-1"
LOGIN = ["login", "--url", URL, "--tenant", "farm", "--client-id", "client-1"]


def test_login_proves_the_credentials_and_keeps_them(bare_headland, stand_in):
    result = bare_headland(*LOGIN, "--client-secret", SECRET)
    assert result.exit_code == 0, result.output
    assert read_profile() == Profile(URL, "farm", "client-1", SECRET)
    assert len(stand_in.tokens) == 1
    assert SECRET not in result.output
    # From now on commands need no variables, and the token that proved them is used.
    assert bare_headland("batch", "list").exit_code == 0
    assert len(stand_in.tokens) == 1


def test_the_secret_may_come_from_standard_input(bare_headland):
    assert bare_headland(*LOGIN, "--client-secret", "-", stdin=f"{SECRET}\n").exit_code == 0
    assert read_profile().client_secret == SECRET


def test_the_secret_is_asked_for_on_a_terminal(bare_headland, monkeypatch):
    monkeypatch.setattr(login_module, "asks_people", lambda: True)
    result = bare_headland(*LOGIN, stdin=f"{SECRET}\n")
    assert result.exit_code == 0
    assert "Client secret" in result.stderr
    assert SECRET not in result.output
    assert read_profile().client_secret == SECRET


def test_without_a_terminal_nobody_is_asked(bare_headland):
    result = bare_headland(*LOGIN, stdin=f"{SECRET}\n")
    assert result.exit_code == 2
    assert "--client-secret -" in result.stderr


def test_an_empty_secret_is_refused(bare_headland):
    assert bare_headland(*LOGIN, "--client-secret", "-", stdin="\n").exit_code == 2


def test_a_wrong_secret_is_5_and_keeps_nothing(bare_headland):
    result = bare_headland(*LOGIN, "--client-secret", "not-the-secret")
    assert result.exit_code == 5
    assert result.stderr.startswith("headland: no token: AADSTS7000215: Invalid client secret provided;")
    assert "not-the-secret" not in result.output
    assert "Trace ID" not in result.output
    assert not profile_file().exists()


def test_a_token_in_the_cache_proves_nothing(headland, bare_headland):
    assert headland("token").exit_code == 0
    assert bare_headland(*LOGIN, "--client-secret", "not-the-secret").exit_code == 5


def test_login_at_a_private_listener_is_refused(bare_headland):
    result = bare_headland(
        "login", "--url", "http://h:8998", "--tenant", "t", "--client-id", "c", "--client-secret", "s"
    )
    assert result.exit_code == 2
    assert "private listener" in result.stderr


def test_login_takes_the_variables(headland):
    assert headland("login").exit_code == 0
    assert read_profile() == Profile(URL, "farm", "client-1", SECRET)


def test_the_ca_is_kept_with_its_whole_path(headland):
    Path("ca.pem").write_text("")
    assert headland("login", "--ca", "ca.pem").exit_code == 0
    assert read_profile().ca == Path("ca.pem").resolve()


def test_a_ca_that_is_not_there_is_2(headland):
    assert headland("login", "--ca", "nowhere.pem").exit_code == 2


def test_a_configuration_folder_that_cannot_be_written(headland, tmp_path):
    (tmp_path / "xdg_config_home").write_text("a file where a folder should be")
    result = headland("login")
    assert result.exit_code == 1
    assert result.stderr.startswith("headland: the profile can't be written to ")


def test_logout_forgets_profile_and_tokens(headland, bare_headland, tmp_path):
    assert headland("login").exit_code == 0
    assert list((tmp_path / "xdg_cache_home").rglob("*.json"))
    assert bare_headland("logout").stdout == "Logged out.\n"
    assert not profile_file().exists()
    assert not list((tmp_path / "xdg_cache_home").rglob("*.json"))
    assert bare_headland("batch", "list").exit_code != 0
    assert bare_headland("logout").stdout == "Nobody was logged in.\n"
