"""Where one can go: only what there is."""

from dataclasses import dataclass

from headland.identity.people import SignedIn
from headland.settings import Settings


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the portal."""

    title: str
    path: str
    icon: str


def sections(settings: Settings, who: SignedIn | None) -> list[Section]:
    """What of the portal there is for somebody."""
    if who is None:
        return []
    found = []
    if who.principal.tenant_administrator:
        found.append(Section("People", "/portal/people", "people"))
    found.append(Section("Your account", "/portal/account", "account"))
    return found
