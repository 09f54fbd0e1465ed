"""`headland audit list` and `verify`."""

from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.options import json_option
from headland.cli.output import print_json, print_table, when
from headland.cli.profile import require_public
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service

#: Entries that one request asks for.
PAGE = 1000


class Entry(Struct, rename="camel"):
    """A change that was made."""

    sequence: int
    at: str
    action: str
    target: str
    source: str
    by_client_id: str | None = None
    by_job: str | None = None

    @property
    def by(self) -> str | None:
        """Who did it, and through which job."""
        return f"{self.by_client_id} ({self.by_job})" if self.by_job else self.by_client_id


class Page(Struct):
    """Some of them, newest first."""

    entries: list[Entry]
    next: int | None = None


class Verification(Struct):
    """What was found."""

    intact: bool
    entries: int
    hash: str | None = None
    problem: str | None = None


@click.group()
def audit() -> None:
    """Read the trail of administrative changes.

    Only administrators may use these commands.
    """


@audit.command("list")
@click.option("--action", help="Only what was done so, such as application.registered.")
@click.option("--target", help="Only what was done to this, such as application/CLIENT_ID.")
@click.option("--by", metavar="CLIENT_ID", help="Only what this application did.")
@click.option("--since", metavar="MOMENT", help="Only what was done then or later, as 2026-11-21T18:00:00Z.")
@click.option("--until", metavar="MOMENT", help="Only what was done before then.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="How many, the newest first."
)
@json_option
def list_entries(limit: int, as_json: bool, **filters: str | None) -> None:
    """List changes, newest first: what, when, by whom and from where."""
    with open_service() as service:
        found = _entries(service, limit, filters)
    if as_json:
        print_json({"entries": found})
        return
    print_table(
        ["No.", "At (UTC)", "Action", "Target", "By", "From"],
        [
            [item.sequence, when(item.at), item.action, item.target, item.by, item.source]
            for item in view({"entries": found}, Page).entries
        ],
    )


@audit.command()
@click.option(
    "--expect", metavar="NUMBER:HASH", help="An entry that you noted down earlier: it must still be there."
)
@json_option
def verify(expect: str | None, as_json: bool) -> None:
    """Check that no entry was changed, taken out or put in.

    Note down what this prints, somewhere else: with --expect a later check finds out as well whether somebody
    has cut off the trail's end, or written all of it anew. Ends with 1 if something is wrong.
    """
    with open_service() as service:
        require_public(service.profile, "audit trail")
        document = service.document("GET", "/audit/verification", query={"expect": expect})
    found = view(document, Verification)
    if as_json:
        print_json(document)
    elif found.intact:
        click.echo(f"{found.entries} entries, all as they were recorded. The last one is:")
        click.echo(f"{found.entries}:{found.hash}")
    if not found.intact:
        raise CliError(
            f"the audit trail is not what was recorded: {found.problem}",
            "compare it with a backup of the database",
        )


def _entries(service: "Service", limit: int, filters: dict[str, str | None]) -> list[dict[str, Any]]:
    require_public(service.profile, "audit trail")
    found: list[dict[str, Any]] = []
    before: int | None = None
    while True:
        query = {**filters, "before": before, "size": min(PAGE, limit - len(found))}
        document = service.document("GET", "/audit/entries", query=query)
        before = view(document, Page).next
        found += document["entries"]
        if before is None or len(found) >= limit:
            return found
