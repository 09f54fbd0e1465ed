"""Signing keys as Headland's own API shows them."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType


class RotateKeys(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A signing key to make."""

    #: Seconds for which it is published before it signs; the setting `identity.key_overlap`, if left out.
    activate_after: Annotated[float, Meta(ge=0, le=31_536_000)] | UnsetType = UNSET


class Key(Struct, frozen=True, rename="camel"):
    """A signing key, without its private half."""

    kid: str
    #: `pending` until it signs, `retired` when another one does.
    state: Literal["pending", "signing", "retired"]
    created_at: datetime
    activates_at: datetime
    #: When the last token that a retired key signed has expired, and it is forgotten.
    published_until: datetime | None


class Keys(Struct, frozen=True):
    """All signing keys that are published."""

    keys: list[Key]
