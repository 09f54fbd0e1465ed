"""Settings that are each right, and wrong together."""

from pathlib import Path

import pytest

from headland.settings import Home, SettingsError, load_settings


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def lifetimes(home: Home, text: str) -> dict[str, int]:
    variables = {"HEADLAND_IDENTITY_TOKEN_LIFETIMES": text}
    return load_settings(home, variables).identity.token_lifetimes


def test_lifetimes_are_of_resources_with_or_without_a_slash(home: Home) -> None:
    given = '{"https://farmbeats.azure.net/": 900, "https://localhost:8443": 60, "https://localhost:8443/livy": 61}'
    assert lifetimes(home, given) == {
        "https://farmbeats.azure.net/": 900,
        "https://localhost:8443": 60,
        "https://localhost:8443/livy": 61,
    }


def test_lifetime_of_what_is_no_resource_is_refused(home: Home) -> None:
    with pytest.raises(
        SettingsError, match=r"token_lifetimes names 'https://farmbeats\.example', which is no res"
    ):
        lifetimes(home, '{"https://farmbeats.example": 900}')


@pytest.mark.parametrize("seconds", ["59", "86401", '"900s"'])
def test_lifetime_that_is_none_is_refused(home: Home, seconds: str) -> None:
    with pytest.raises(SettingsError, match=r"HEADLAND_IDENTITY_TOKEN_LIFETIMES: identity\.token_lifetimes"):
        lifetimes(home, f'{{"https://farmbeats.azure.net": {seconds}}}')


PUBLIC_URLS = {
    "nothing": ({}, "https://localhost:8443"),
    "port": ({"PORT": "9443"}, "https://localhost:9443"),
    "the port of https": ({"PORT": "443"}, "https://localhost"),
    "host": ({"HOST": "10.0.0.4"}, "https://10.0.0.4:8443"),
    "name": ({"HOST": "farm.example", "PORT": "1443"}, "https://farm.example:1443"),
    "IPv6": ({"HOST": "fd00::4", "PORT": "9443"}, "https://[fd00::4]:9443"),
    "loopback": ({"HOST": "::1", "PORT": "9443"}, "https://localhost:9443"),
    "all addresses": ({"HOST": "::", "PORT": "9443"}, "https://localhost:9443"),
    "itself": ({"PUBLIC_URL": "https://farm.example", "PORT": "9443"}, "https://farm.example"),
}


@pytest.mark.parametrize(("variables", "url"), PUBLIC_URLS.values(), ids=PUBLIC_URLS)
def test_the_public_url_follows_host_and_port_unless_it_is_set(
    home: Home, variables: dict[str, str], url: str
) -> None:
    named = {f"HEADLAND_SERVER_{name}": value for name, value in variables.items()}
    assert load_settings(home, named).server.public_url == url


def test_the_public_url_follows_the_port_of_the_file(home: Home) -> None:
    home.settings_file.write_text("[server]\nport = 9443\n")
    assert load_settings(home, {}).server.public_url == "https://localhost:9443"


def test_an_empty_public_url_is_none(home: Home) -> None:
    home.settings_file.write_text('[server]\npublic_url = ""\n')
    with pytest.raises(SettingsError, match=r"server\.public_url: "):
        load_settings(home, {})
