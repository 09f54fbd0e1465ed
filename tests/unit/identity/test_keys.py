import hashlib
import json
from base64 import urlsafe_b64encode

from joserfc import jwt

from headland.identity.keys import SigningKey, key_set, public_key
from headland.identity.records import KeyRecord


def record(key: SigningKey) -> KeyRecord:
    return KeyRecord(key.kid, key.public_json(), key.pem(), 0, 0, None, 3600)


def test_kid_is_the_thumbprint_of_rfc_7638():
    (entry,) = key_set([record(SigningKey.generate())]).keys
    canonical = json.dumps({"e": entry.e, "kty": "RSA", "n": entry.n}, separators=(",", ":")).encode()
    assert entry.kid == urlsafe_b64encode(hashlib.sha256(canonical).digest()).decode().rstrip("=")


def test_key_survives_its_pem_and_its_public_half_verifies():
    key = SigningKey.generate()
    again = SigningKey.of(key.kid, key.pem())
    public = public_key(record(again))
    assert not public.is_private
    decoded = jwt.decode(again.sign({"sub": "größe"}), public, algorithms=["RS256"])
    assert decoded.header == {"alg": "RS256", "typ": "JWT", "kid": key.kid}
    assert decoded.claims == {"sub": "größe"}


def test_key_has_2048_bits_and_hides_itself():
    key = SigningKey.generate()
    assert key.private.raw_value.key_size == 2048
    private = key.private.as_dict(private=True)
    for shown in (repr(key), repr(record(key)), key.public_json()):
        assert not any(private[part] in shown for part in ("d", "p", "q"))
        assert "PRIVATE" not in shown
