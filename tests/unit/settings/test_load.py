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
