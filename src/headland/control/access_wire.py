"""What goes over HTTP of Headland's own: requests for subscriptions, and the terms."""

from typing import Annotated

from msgspec import Meta, Struct


class Terms(Struct, frozen=True):
    """The terms in force."""

    version: str
    text: str


class NewAccessRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Ask for a subscription: a new one, or the one of that id. `acceptTerms` is the version of the terms."""

    display_name: str
    reason: str
    accept_terms: str
    subscription_id: str | None = None


class AccessRequest(Struct, frozen=True, rename="camel"):
    """A request for a subscription: `Pending`, `Approved` or `Refused`."""

    id: str
    subscription_id: str
    display_name: str
    reason: str
    terms_version: str
    state: str
    requested_by: str
    requested_at: str
    decided_by: str | None
    decided_at: str | None
    comment: str | None


class AccessRequestList(Struct, frozen=True):
    """Requests for subscriptions, oldest first."""

    value: list[AccessRequest]


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is decided so."""

    comment: Annotated[str, Meta(max_length=2000)] | None = None
