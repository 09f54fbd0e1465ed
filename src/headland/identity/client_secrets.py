"""Client secrets: made, hashed and compared.

A secret is 256 random bits, which nobody can guess however fast the hash; a slow hash, made for people's
passwords, would only cost each token 0.1 s. So it is stored as SHA-256.
"""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass, field

from headland.identity.records import Application, Secret

MILLISECONDS_A_DAY = 86_400_000

#: Compared where an application has no secret, or where there is none: the answer takes as long.
_NOBODYS = hashlib.sha256(secrets.token_bytes(32)).digest()


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret just made: the only time that its value is known."""

    record: Secret
    value: str = field(repr=False)


def new_secret(
    client_id: str, name: str | None, now: int, lifetime_days: int, created_by: str | None = None
) -> NewSecret:
    """A secret for the application, valid from `now` (milliseconds since 1970)."""
    value = secrets.token_urlsafe(32)
    record = Secret(
        id=str(uuid.uuid4()),
        client_id=client_id,
        hash=hash_of(value),
        hint=value[:3],
        name=name,
        created_at=now,
        expires_at=now + lifetime_days * MILLISECONDS_A_DAY,
        created_by=created_by,
    )
    return NewSecret(record, value)


def hash_of(value: str) -> bytes:
    # A lone surrogate can't come from UTF-8, but a caller's mistake must not become an error of ours.
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()


def matching(application: Application | None, value: str) -> list[Secret]:
    """The application's secrets, live or not, that have this value.

    Every one is compared, each in constant time, and one comparison is made where there are none.
    """
    digest = hash_of(value)
    hmac.compare_digest(digest, _NOBODYS)
    if application is None:
        return []
    return [secret for secret in application.secrets if hmac.compare_digest(digest, secret.hash)]
