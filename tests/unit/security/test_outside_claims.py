"""Claims of somebody else's tokens, by the names that the settings give them."""

import uuid

import pytest

from headland.security import Principal, TokenError
from headland.security.outside.claims import object_id_of, read_claims
from headland.settings import IssuerSettings

PLAIN = IssuerSettings("https://login.example", tenant="elsewhere")
CLAIMS = {"sub": "subject", "aud": "https://farm.example/", "exp": 2_000_000_000}


def test_the_least_that_a_token_says():
    said = read_claims(PLAIN, CLAIMS)
    assert said.principal == Principal(
        "elsewhere",
        "subject@https://login.example",
        object_id_of("https://login.example", "elsewhere", "subject"),
        frozenset(),
        issuer="https://login.example",
    )
    assert said.audiences == {"https://farm.example"}
    assert (said.expires, said.not_before) == (2_000_000_000, 0)


def test_the_first_claim_present_counts():
    said = read_claims(PLAIN, {**CLAIMS, "client_id": "third", "appid": "second", "azp": "", "oid": "object"})
    assert said.principal.client_id == "second@https://login.example"
    assert said.principal.object_id == object_id_of("https://login.example", "elsewhere", "object")


def test_roles_are_given_by_the_settings_alone():
    claims = {**CLAIMS, "roles": ["Administrator", "Owner"], "realm_access": {"roles": ["boss", "hand"]}}
    assert read_claims(PLAIN, claims).principal.roles == frozenset()
    nested = IssuerSettings(
        "https://login.example", tenant="x", roles_claim="realm_access.roles", roles={"boss": "Administrator"}
    )
    assert read_claims(nested, claims).principal.administrator
    assert not read_claims(nested, {**claims, "realm_access": {"roles": "hand"}}).principal.administrator
    assert not read_claims(nested, {**claims, "realm_access": ["roles"]}).principal.administrator
    assert read_claims(nested, {**claims, "realm_access.roles": "boss"}).principal.administrator


def test_audiences_are_translated_and_several_may_stand_there():
    settings = IssuerSettings("https://login.example", tenant="x", audiences={"api": "https://farm.example"})
    said = read_claims(settings, {**CLAIMS, "aud": ["api", "other/"]})
    assert said.audiences == {"https://farm.example", "other"}


def test_the_tenant_is_the_tokens_own_unless_one_is_set():
    trusting = IssuerSettings("https://login.example")
    assert read_claims(trusting, {**CLAIMS, "tid": "t"}).principal.tenant_id == "t"
    assert read_claims(PLAIN, {**CLAIMS, "tid": "t"}).principal.tenant_id == "elsewhere"
    with pytest.raises(TokenError, match="claim tid is missing"):
        read_claims(trusting, CLAIMS)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("exp", None),
        ("exp", "2000000000"),
        ("exp", True),
        ("nbf", "now"),
        ("aud", None),
        ("aud", []),
        ("aud", 7),
        ("aud", ["x", 7]),
        ("sub", 7),
        ("sub", None),
    ],
)
def test_a_claim_of_another_type_is_named(claim, value):
    claims = {name: item for name, item in {**CLAIMS, claim: value}.items() if item is not None}
    with pytest.raises(TokenError, match=claim):
        read_claims(PLAIN, claims)


def test_whoever_has_the_text_of_somebody_elses_object_id_is_another_one():
    local = "11111111-2222-4333-8444-555555555555"
    said = {**CLAIMS, "oid": local, "azp": local}
    issuers = [
        PLAIN,
        IssuerSettings("https://login.example", tenant="another"),
        IssuerSettings("https://login.example/", tenant="elsewhere"),
    ]
    principals = [read_claims(issuer, said).principal for issuer in issuers]
    assert len({local, *(one.object_id for one in principals)}) == 4
    assert len({local, *(one.owner for one in principals)}) == 4
    assert local not in {one.client_id for one in principals}
    assert {uuid.UUID(one.object_id).version for one in principals} == {5}


@pytest.mark.parametrize(
    ("claims", "id_token"),
    [
        ({}, False),
        ({"typ": "Bearer", "nonce": "n"}, False),
        ({"typ": "ID"}, True),
        ({"nonce": "n"}, True),
        ({"at_hash": "x"}, True),
        ({"c_hash": "x"}, True),
    ],
)
def test_id_tokens_are_told_by_their_claims(claims, id_token):
    assert read_claims(PLAIN, {**CLAIMS, **claims}).id_token == id_token


@pytest.mark.parametrize("kind", ["Refresh", "Offline", "Logout"])
def test_tokens_for_other_purposes_are_refused(kind):
    with pytest.raises(TokenError, match="claim typ"):
        read_claims(PLAIN, {**CLAIMS, "typ": kind})
