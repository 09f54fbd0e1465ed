"""`headland session list`, `show`, `stop` and `delete`."""

import click

from headland.cli.documents import view
from headland.cli.livy import Job, print_job
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table
from headland.cli.pages import Page, everything, listed, tell_of_others
from headland.cli.session.sessions import Sessions
from headland.cli.surroundings import open_service


@click.command("list")
@click.option(
    "--from", "start", type=click.IntRange(min=0), help="Number of the first; else the newest are shown."
)
@click.option("--size", type=click.IntRange(min=1), default=20, show_default=True, help="How many to show.")
@click.option("--all", "wants_all", is_flag=True, help="Show all of them.")
@json_option
def list_sessions(*, start: int | None, size: int, wants_all: bool, as_json: bool) -> None:
    """List sessions, oldest first."""
    with open_service() as service:
        ask = Sessions(service).page
        document = everything(ask) if wants_all else listed(ask, start, size, newest_last=True)
    if as_json:
        print_json(document)
        return
    page = view(document, Page)
    sessions = [view(item, Job) for item in page.sessions]
    print_table(
        ["Id", "Name", "Kind", "State", "Owner", "Application"],
        [[each.id, each.name, each.kind, each.state, each.owner, each.app_id] for each in sessions],
        fold=("Name",),
    )
    tell_of_others(page)


@click.command()
@click.argument("session_id", metavar="ID")
@json_option
def show(session_id: str, as_json: bool) -> None:
    """Show one session."""
    with open_service() as service:
        document = Sessions(service).session(session_id)
    if as_json:
        print_json(document)
        return
    print_job(view(document, Job))


@click.command()
@click.argument("session_id", metavar="ID")
@quiet_option("Print nothing.")
def stop(session_id: str, quiet: bool) -> None:
    """End a session and keep its record and statements."""
    with open_service() as service:
        Sessions(service).stop(session_id)
    if not quiet:
        click.echo(f"Session {session_id}: stopped.")


@click.command()
@click.argument("session_id", metavar="ID")
@json_option
@quiet_option("Print nothing.")
def delete(session_id: str, as_json: bool, quiet: bool) -> None:
    """End a session, and remove it."""
    with open_service() as service:
        document = Sessions(service).delete(session_id)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Session {session_id}: deleted.")
