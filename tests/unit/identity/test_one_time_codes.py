"""TOTP by the vectors of RFC 6238, appendix B (its last six digits, for SHA-1)."""

import pytest

from headland.identity.people.one_time_codes import address, as_text, code_at, from_text, new_secret, step_of

SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("at", "code"),
    [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ],
)
def test_codes_are_those_of_the_specification(at, code):
    assert code_at(SECRET, at // 30) == code
    assert step_of(SECRET, code, at, None) == at // 30


def test_a_code_is_good_a_step_early_and_late_and_no_longer():
    step = 1_111_111_109 // 30
    for late in range(-3, 4):
        found = step_of(SECRET, "081804", (step + late) * 30, None)
        assert found == (step if abs(late) <= 1 else None)


def test_a_code_opens_once():
    step = 1_111_111_109 // 30
    assert step_of(SECRET, "081804", 1_111_111_109, step) is None
    assert step_of(SECRET, "081804", 1_111_111_109, step - 1) == step


@pytest.mark.parametrize(
    "code", ["", "81804", "0818040", "abcdef", "\N{FULLWIDTH DIGIT ZERO}81804", "\ud800"]
)
def test_what_is_no_code_opens_nothing(code):
    assert step_of(SECRET, code, 1_111_111_109, None) is None


def test_spaces_that_apps_show_do_not_matter():
    assert step_of(SECRET, " 081 804 ", 1_111_111_109, None) is not None


def test_a_secret_survives_being_typed():
    secret = new_secret()
    assert from_text(as_text(secret).lower()) == secret
    for wrong in ("", "not base32!", as_text(b"short")):
        assert from_text(wrong) is None


def test_an_address_says_whose_it_is_and_nothing_else_gets_in():
    found = address(SECRET, "a&issuer=evil@x", "Headland")
    assert found == (
        "otpauth://totp/Headland:a%26issuer%3Devil%40x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Headland"
    )
