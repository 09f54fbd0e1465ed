import pytest

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.files import write_private
from headland.cli.profile import Profile, current_profile, profile_file, read_profile, store_profile
from headland.settings import Home

URL = "https://headland.example:8443"


def test_nothing_set_means_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLAND_HOME", str(tmp_path / "home"))
    assert current_profile({}) == Profile("https://localhost:8443")


def test_nothing_set_means_the_service_of_this_machine_wherever_it_listens(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLAND_HOME", str(tmp_path))
    address = Home(tmp_path).address
    address.parent.mkdir()
    address.write_text("https://localhost:9443")
    assert current_profile({}) == Profile("https://localhost:9443")
    assert current_profile({"HEADLAND_URL": URL}) == Profile(URL)
    address.write_bytes(b"\xff")
    assert current_profile({}) == Profile("https://localhost:8443")


def test_a_profile_comes_back_as_it_was_stored(tmp_path):
    profile = Profile(URL, "farm", "client", 'a"b\\c\x7f\t€😀', tmp_path / "ca.pem")
    path = store_profile(profile)
    assert path == profile_file()
    assert path.is_relative_to(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert read_profile() == profile
    assert current_profile({}) == profile


def test_variables_go_before_the_profile(tmp_path):
    store_profile(Profile(URL, "farm", "client", "secret"))
    variables = {
        "HEADLAND_URL": f"{URL}/",
        "HEADLAND_TENANT": "other",
        "HEADLAND_CLIENT_SECRET": "newer",
        "HEADLAND_CA": str(tmp_path / "ca.pem"),
    }
    assert current_profile(variables) == Profile(URL, "other", "client", "newer", tmp_path / "ca.pem")


def test_an_empty_variable_is_none():
    store_profile(Profile(URL, "farm", "client", "secret"))
    assert current_profile({"HEADLAND_URL": "", "HEADLAND_TENANT": ""}).tenant == "farm"


@pytest.mark.parametrize("other", ["http://headland.example:8998", "https://elsewhere.example", f"{URL}0"])
def test_stored_credentials_are_for_the_stored_address_alone(other):
    store_profile(Profile(URL, "farm", "client", "secret"))
    assert current_profile({"HEADLAND_URL": other}) == Profile(other)


def test_a_stored_secret_is_for_its_own_client_alone():
    store_profile(Profile(URL, "farm", "client", "secret"))
    assert current_profile({"HEADLAND_CLIENT_ID": "other"}) == Profile(URL, "farm", "other", None)


@pytest.mark.parametrize(
    "url", ["", "localhost:8443", "ftp://x", "https://", "https://u:p@x", "https://x?y", "https://x y"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(CliError) as caught:
        current_profile({"HEADLAND_URL": url or " "})
    assert caught.value.code is ExitCode.USAGE


def test_a_damaged_profile_says_how_to_make_it_anew():
    profile_file().parent.mkdir(parents=True)
    profile_file().write_text("url = ")
    with pytest.raises(CliError, match="headland login") as caught:
        current_profile({})
    assert caught.value.code is ExitCode.USAGE


def test_the_secret_is_not_in_the_repr():
    assert "hush" not in repr(Profile(URL, "farm", "client", "hush"))


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "profile.toml"
    write_private(path, "old")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_private(path, "new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["profile.toml"]
