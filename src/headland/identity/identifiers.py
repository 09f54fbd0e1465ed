"""Identifiers: GUIDs, as the protocol's clients write them, and names of tenants."""

import re
import uuid

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)


def new_id() -> str:
    """A random GUID, in lower case: so they are stored and compared."""
    return str(uuid.uuid4())


def is_guid(text: str) -> bool:
    return _GUID.fullmatch(text) is not None


def is_domain(text: str) -> bool:
    """Whether it could be a domain name (RFC 1123 section 2.1)."""
    return len(text) <= 253 and _DOMAIN.fullmatch(text) is not None
