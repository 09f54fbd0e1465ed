"""Whatever is sent as a token, the verifier says in an instant what is wrong with it, and fails in no other way."""

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc.jwk import RSAKey
from tests.loop_lag import MOST_LAG, processor_time
from tests.unit.security.hostile import hostile_tokens, token

from headland.security import TokenError, Verifier
from headland.security.issuers import Said, TrustedIssuer, read_own
from headland.security.outside.claims import read_claims
from headland.settings import IssuerSettings

AUDIENCE = frozenset({"https://farm.example"})
HEADER = {"alg": "RS256", "kid": "k", "typ": "JWT"}
CLAIMS: dict[str, Any] = {
    "iss": "https://login.example",
    "tid": "t",
    "oid": "o",
    "sub": "s",
    "aud": "https://farm.example",
    "exp": 4_000_000_000,
    "nbf": 0,
    "roles": [],
}


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def outside(claims: Any) -> Said:
    return read_claims(IssuerSettings("https://login.example", tenant_claim="tid", roles={"x": "x"}), claims)


@pytest.mark.parametrize("read", [read_own, outside])
def test_hostile_tokens_are_refused_in_an_instant(key: rsa.RSAPrivateKey, read: Any) -> None:
    public = RSAKey.import_key(key.public_key())
    issuer = TrustedIssuer(
        issued=lambda iss, _tid: iss == CLAIMS["iss"],
        key=lambda kid: public if kid == "k" else None,
        read=read,
    )

    def sign(signed: bytes) -> bytes:
        return key.sign(signed, padding.PKCS1v15(), SHA256())

    verifier = Verifier([issuer])
    assert (
        verifier.verify(token(HEADER, CLAIMS, sign), AUDIENCE).object_id == read(CLAIMS).principal.object_id
    )
    wrong, tried = [], 0
    for name, text in hostile_tokens(HEADER, CLAIMS, sign):
        tried += 1
        answers: list[BaseException | None] = []

        def verify(text: str = text, answers: list[BaseException | None] = answers) -> None:
            try:
                verifier.verify(text, AUDIENCE)
            except Exception as error:  # noqa: BLE001 - all of them are to be listed
                answers.append(error)
            else:
                answers.append(None)

        if processor_time(verify) > MOST_LAG:
            wrong.append((name, "took too long"))
        if answers[0] is not None and not isinstance(answers[0], TokenError):
            wrong.append((name, repr(answers[0])[:80]))
        if answers[0] is None and name.startswith(
            ("algorithm", "claim exp", "nested header kid", "empty", "long", "text")
        ):
            allowed = name.startswith("claim exp 1000") or name == "claim exp 1e+308"
            wrong += [] if allowed else [(name, "is taken")]
    assert tried > 500
    assert not wrong


def test_public_key_is_no_secret_to_sign_by(key: rsa.RSAPrivateKey) -> None:
    """RFC 8725 section 2.1."""
    import hmac

    public = RSAKey.import_key(key.public_key())
    issuer = TrustedIssuer(issued=lambda *_: True, key=lambda _: public)
    for secret in (public.as_pem(private=False), public.as_der(private=False)):
        forged = token(
            {**HEADER, "alg": "HS256"},
            CLAIMS,
            lambda text, k=secret: hmac.new(k, text, hashlib.sha256).digest(),
        )
        with pytest.raises(TokenError):
            Verifier([issuer]).verify(forged, AUDIENCE)


def test_key_in_the_header_is_not_taken(key: rsa.RSAPrivateKey) -> None:
    theirs = rsa.generate_private_key(65537, 2048)
    public = RSAKey.import_key(key.public_key())
    issuer = TrustedIssuer(issued=lambda *_: True, key=lambda _: public)
    header = {**HEADER, "jwk": RSAKey.import_key(theirs.public_key()).as_dict(private=False)}
    forged = token(header, CLAIMS, lambda text: theirs.sign(text, padding.PKCS1v15(), SHA256()))
    with pytest.raises(TokenError):
        Verifier([issuer]).verify(forged, AUDIENCE)
