import string

import pytest

from headland.identity.refusals import CASES, UNKNOWN_TENANT, TokenRefusedError, refusal

#: The table of the protocol: number → error and status.
TABLE = {
    700016: ("unauthorized_client", 400),
    7000215: ("invalid_client", 401),
    7000222: ("invalid_client", 401),
    7000218: ("invalid_client", 401),
    1002012: ("invalid_scope", 400),
    70011: ("invalid_scope", 400),
    500011: ("invalid_resource", 400),
    70003: ("unsupported_grant_type", 400),
    900144: ("invalid_request", 400),
    90002: ("invalid_request", 400),
    900023: ("invalid_request", 400),
}


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", TABLE)
def test_cases_of_the_table_have_its_error_and_status(code):
    assert [(case.error, case.status) for case in CASES if case.code == code] == [TABLE[code]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.status}")
def test_every_text_can_be_filled_in(case):
    filled = TokenRefusedError(case, **dict.fromkeys(names_in(case.text), "VALUE")).text
    assert "{" not in filled
    assert filled.count("VALUE") == len(names_in(case.text))


def test_no_text_asks_for_a_secret():
    assert not any("secret" in name for case in CASES for name in names_in(case.text))


def test_what_callers_send_is_cut_and_cleaned_and_never_a_format():
    error = TokenRefusedError(UNKNOWN_TENANT, tenant="a\r\nb\x00{tenant}" + "x" * 300)
    assert error.text.startswith("Tenant 'a??b?{tenant}xxx")
    assert "…' not found" in error.text
    assert "x" * 257 not in error.text


def test_refusal_has_the_protocols_form():
    correlation = "0a1b2c3d-0000-4000-8000-0123456789ab"
    body = refusal(TokenRefusedError(UNKNOWN_TENANT, tenant="x"), "https://h.test", correlation, 0.9)
    assert body.timestamp == "1970-01-01 00:00:00Z"
    assert body.error_uri == "https://h.test/error?code=90002"
    assert body.correlation_id == correlation
    assert body.error_description.endswith(
        f" Trace ID: {body.trace_id} Correlation ID: {correlation} Timestamp: 1970-01-01 00:00:00Z"
    )
