"""For whom an ID token is."""

import pytest

from headland.identity.people.outside_sign_in import _is_for


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({"aud": "portal"}, True),
        ({"aud": ["portal"]}, True),
        ({"aud": "portal", "azp": "portal"}, True),
        ({"aud": ["portal", "other"], "azp": "portal"}, True),
        ({"aud": ["portal", "other"], "azp": "other"}, False),
        ({"aud": ["portal", "other"]}, False),
        ({"aud": "portal", "azp": "other"}, False),
        ({"aud": "portal", "azp": None}, False),
        ({"aud": "other", "azp": "portal"}, False),
    ],
)
def test_an_id_token_of_another_party_signs_nobody_in(claims, taken):
    assert _is_for(claims, "portal") == taken
