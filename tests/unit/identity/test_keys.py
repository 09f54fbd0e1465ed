import hashlib
import json
from base64 import urlsafe_b64encode

from joserfc import jwt

from headland.identity.keys import SigningKey


def test_kid_is_the_thumbprint_of_rfc_7638():
    entry = SigningKey.generate().entry()
    canonical = json.dumps({"e": entry.e, "kty": "RSA", "n": entry.n}, separators=(",", ":")).encode()
    assert entry.kid == urlsafe_b64encode(hashlib.sha256(canonical).digest()).decode().rstrip("=")


def test_key_survives_its_pem_and_its_public_half_verifies():
    key = SigningKey.generate()
    again = SigningKey.from_pem(key.pem())
    assert again.kid == key.kid
    assert not again.public.is_private
    token = jwt.encode(again.header, {"sub": "x"}, again.private)
    decoded = jwt.decode(token, key.public, algorithms=["RS256"])
    assert decoded.header == {"alg": "RS256", "typ": "JWT", "kid": key.kid}


def test_key_has_2048_bits_and_hides_itself():
    key = SigningKey.generate()
    assert key.private.raw_value.key_size == 2048
    private = key.private.as_dict(private=True)
    assert not any(private[part] in repr(key) for part in ("d", "p", "q"))
