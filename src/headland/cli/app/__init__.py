"""`headland app`: manage applications and their client secrets."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "create": ("headland.cli.app.create:create", "Register an application and make its first secret."),
    "list": ("headland.cli.app.records:list_applications", "List the tenant's applications."),
    "show": ("headland.cli.app.records:show", "Show one application and its secrets."),
    "disable": ("headland.cli.app.records:disable", "Refuse an application tokens until it is enabled."),
    "enable": ("headland.cli.app.records:enable", "Give a disabled application tokens again."),
    "delete": ("headland.cli.app.records:delete", "Remove an application and its secrets."),
    "secret": ("headland.cli.app.secrets:secret", "Manage an application's client secrets."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def app() -> None:
    """Manage applications and their client secrets.

    CLIENT_ID is the Application (client) ID. Only administrators may use these commands.
    """
