"""Key sets (RFC 7517) as a provider publishes them: which of the keys verify tokens."""

from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from headland.security.issuers import PublicKey

#: Shorter ones can be broken (RFC 7518 section 3.3).
LEAST_RSA_BITS = 2048

#: More than any provider has.
MOST_KEYS = 100

#: What is taken over of a key: whatever else stands there, a private half before all, is left.
_MEMBERS = frozenset({"kty", "kid", "alg", "use", "key_ops", "n", "e", "crv", "x", "y"})


class KeySetError(Exception):
    """It is no key set."""


@dataclass(frozen=True, slots=True)
class PublishedKeys:
    """The keys that can be used here."""

    #: As published, for keeping.
    entries: tuple[dict[str, Any], ...]
    by_kid: Mapping[str, PublicKey]


def published_keys(document: Mapping[str, Any]) -> PublishedKeys:
    """The keys of a key set that verify signatures here; others are passed over (RFC 7517 section 5).

    Raises:
        KeySetError: it is no key set.
    """
    listed = document.get("keys")
    if not isinstance(listed, list) or len(listed) > MOST_KEYS:
        raise KeySetError("it publishes no key set")
    found: dict[str, PublicKey] = {}
    entries = []
    for item in listed:
        entry = {name: item[name] for name in item if name in _MEMBERS} if isinstance(item, dict) else {}
        key = _key(entry)
        if key is not None:
            found.setdefault(entry["kid"], key)
            entries.append(entry)
    return PublishedKeys(tuple(entries), found)


def _key(entry: dict[str, Any]) -> PublicKey | None:
    verifies = entry.get("use", "sig") == "sig" and "verify" in entry.get("key_ops", ["verify"])
    if not verifies or not isinstance(entry.get("kid"), str):
        return None
    try:
        match entry.get("kty"), entry.get("crv"):
            case "RSA", None if _bits(entry["n"]) >= LEAST_RSA_BITS:
                return RSAKey.import_key(entry)
            case "EC", "P-256":
                return ECKey.import_key(entry)
            case _:
                return None
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def _bits(number: str) -> int:
    return int.from_bytes(urlsafe_b64decode(number + "=" * (-len(number) % 4))).bit_length()
