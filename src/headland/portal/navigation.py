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
    summary: str


def sections(settings: Settings, who: SignedIn | None) -> list[Section]:
    """What of the portal there is for somebody."""
    if who is None:
        return []
    services = settings.server.services
    found = []
    if "control" in services:
        found += [
            Section("Instances", "/portal/instances", "instances", "Create them, and say who may use them"),
            Section(
                "Subscriptions",
                "/portal/subscriptions",
                "subscriptions",
                "Resource groups, and asking for access",
            ),
        ]
    if "farm" in services:
        found.append(
            Section("Farm data", "/portal/farm", "farm", "Parties, farms, fields and what was done there")
        )
    if "jobs" in services:
        found += [
            Section("Jobs", "/portal/jobs", "jobs", "Spark batches: submit, watch, stop"),
            Section("Sessions", "/portal/sessions", "sessions", "Code that runs while you type"),
            Section(
                "Environments", "/portal/environments", "environments", "Python packages that jobs run with"
            ),
        ]
    if who.principal.tenant_administrator:
        found += [
            Section("Applications", "/portal/applications", "applications", "Programs and their secrets"),
            Section("People", "/portal/people", "people", "Who may sign in here"),
        ]
    found.append(Section("Your account", "/portal/account", "account", "Password, one-time codes, sessions"))
    return found
