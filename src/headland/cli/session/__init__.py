"""`headland session`: start interactive sessions and run code in them."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "create": ("headland.cli.session.create:create", "Start a session."),
    "list": ("headland.cli.session.records:list_sessions", "List sessions, oldest first."),
    "show": ("headland.cli.session.records:show", "Show one session."),
    "run": ("headland.cli.session.run:run", "Run code in a session, and print what comes of it."),
    "statements": ("headland.cli.session.statements:statements", "List what was run in a session."),
    "cancel": ("headland.cli.session.statements:cancel", "Stop a statement."),
    "log": ("headland.cli.session.log:log", "Print a session's log."),
    "stop": ("headland.cli.session.records:stop", "End a session and keep its record and statements."),
    "delete": ("headland.cli.session.records:delete", "End a session, and remove it."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def session() -> None:
    """Start interactive sessions and run code in them."""
