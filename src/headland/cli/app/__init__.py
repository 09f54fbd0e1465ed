"""`headland app`: manage applications, their client secrets and certificates."""

import click

from headland.cli.lazy import Commands, LazyGroup
from headland.cli.options import TENANT

COMMANDS: Commands = {
    "create": ("headland.cli.app.create:create", "Register an application and make its first secret."),
    "list": ("headland.cli.app.records:list_applications", "List the tenant's applications."),
    "show": ("headland.cli.app.records:show", "Show one application and its secrets."),
    "disable": ("headland.cli.app.records:disable", "Refuse an application tokens until it is enabled."),
    "enable": ("headland.cli.app.records:enable", "Give a disabled application tokens again."),
    "delete": ("headland.cli.app.records:delete", "Remove an application, its secrets and certificates."),
    "secret": ("headland.cli.app.secrets:secret", "Manage an application's client secrets."),
    "certificate": ("headland.cli.app.certificates:certificate", "Manage an application's certificates."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
@click.option("--tenant", metavar="TENANT", help="Id or name of another tenant than your own.")
@click.pass_context
def app(context: click.Context, tenant: str | None) -> None:
    """Manage applications, their client secrets and certificates.

    CLIENT_ID is the Application (client) ID. Only administrators may use these commands; those of the first
    tenant may use them in any.
    """
    context.meta[TENANT] = tenant
