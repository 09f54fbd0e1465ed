"""A signing key's life: published, signing, retired, forgotten. Times are milliseconds since 1970.

Which key signs follows from the keys and the time, so that every process changes over at the same moment without
a word. What has to be written down (a new key, a private half's end, a row's end) is done by whichever process
comes first.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

from sqlalchemy import Connection

from headland.audit import Actor, record
from headland.identity import key_store
from headland.identity.errors import KeyPendingError
from headland.identity.keys import SigningKey
from headland.identity.records import KeyRecord
from headland.settings import IdentitySettings

KeyState = Literal["pending", "signing", "retired"]

#: By how much the clocks of processes that share the keys may differ.
CLOCKS_DIFFER = 60_000

#: What changes by age alone is done by nobody but Headland itself.
BY_AGE = Actor(source="headland serve")


def signing(keys: Sequence[KeyRecord], now: int) -> KeyRecord:
    """The key that signs at `now`, of `keys` as the store orders them; the first to do so where none does yet."""
    able = [key for key in keys if key.private_key is not None]
    return next((key for key in able if key.activates_at <= now), able[-1])


def state(key: KeyRecord, keys: Sequence[KeyRecord], now: int) -> KeyState:
    """What a key does at `now`."""
    if key.activates_at > now:
        return "pending"
    return "signing" if key.kid == signing(keys, now).kid else "retired"


def published_until(key: KeyRecord) -> int | None:
    """When the last token that a retired key signed has expired, for all clocks; None for the others."""
    if key.retired_at is None:
        return None
    return key.retired_at + key.longest_lifetime * 1000 + CLOCKS_DIFFER


def publish(
    connection: Connection, new: SigningKey, actor: Actor, *, activates_at: int, lifetime: int, now: int
) -> KeyRecord:
    """`new` among the keys, to sign from `activates_at` on; its tokens live for `lifetime` seconds.

    Raises:
        KeyPendingError: another one is to take over by then.
    """
    keys = key_store.keys(connection)
    if keys and keys[0].activates_at > now and keys[0].activates_at <= activates_at:
        moment = datetime.fromtimestamp(keys[0].activates_at // 1000, UTC)
        raise KeyPendingError(keys[0].kid, f"{moment:%Y-%m-%dT%H:%M:%SZ}")
    # Of two that begin at once nobody could say which of them signs.
    while any(key.activates_at == activates_at for key in keys):
        activates_at += 1
    made = KeyRecord(new.kid, new.public_json(), new.pem(), now, activates_at, None, lifetime)
    key_store.add(connection, made)
    record(
        connection,
        actor,
        "key.published",
        _target(made),
        now=now,
        tenant_id=None,
        after={"activatesAt": activates_at},
    )
    return made


def successor_due(keys: Sequence[KeyRecord], settings: IdentitySettings) -> int | None:
    """When the next key has to be published, so that none signs for longer than the settings allow."""
    if not settings.key_lifetime:
        return None
    return keys[0].activates_at + round((settings.key_lifetime - settings.key_overlap) * 1000)


def retirement_due(keys: Sequence[KeyRecord]) -> list[tuple[int, KeyRecord]]:
    """Keys with a successor, and when each is to lose its private half."""
    return [
        (later.activates_at + CLOCKS_DIFFER, earlier)
        for later, earlier in pairwise(keys)
        if earlier.private_key is not None
    ]


def tidy(connection: Connection, now: int) -> None:
    """Retire and forget the keys whose time has come."""
    keys = key_store.keys(connection)
    for due, key in retirement_due(keys):
        if due <= now:
            key_store.retire(connection, key.kid, now)
            record(connection, BY_AGE, "key.retired", _target(key), now=now, tenant_id=None)
    for key in keys:
        until = published_until(key)
        if until is not None and until <= now:
            key_store.forget(connection, key.kid)
            record(connection, BY_AGE, "key.forgotten", _target(key), now=now, tenant_id=None)


def next_due(keys: Sequence[KeyRecord], settings: IdentitySettings) -> int | None:
    """When something has to be done next, if ever."""
    times = [due for due, _ in retirement_due(keys)]
    times += [until for key in keys if (until := published_until(key)) is not None]
    successor = successor_due(keys, settings)
    return min([*times, successor] if successor is not None else times, default=None)


def _target(key: KeyRecord) -> str:
    return f"key/{key.kid}"
