"""The `headland` command itself: its groups, and how it ends."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.lazy import Commands, LazyGroup

#: Adding a command is adding its module and one line here.
COMMANDS: Commands = {
    "serve": ("headland.server.command:serve", "Start Headland on this machine."),
    "reset-administrator": (
        "headland.server.command:reset",
        "Give an administrator a further secret, on the home's machine.",
    ),
    "login": ("headland.cli.login:login", "Prove credentials and keep them for the other commands."),
    "logout": ("headland.cli.login:logout", "Forget the kept credentials and every cached token."),
    "ca": ("headland.cli.ca:ca", "Print the path of the local CA's certificate."),
    "token": ("headland.cli.token:token", "Print an access token, for curl and other clients."),
    "batch": ("headland.cli.batch:batch", "Submit Spark applications and look after them."),
    "session": ("headland.cli.session:session", "Start interactive sessions and run code in them."),
    "environment": (
        "headland.cli.environment:environment",
        "Make named Python environments for batches and sessions.",
    ),
    "tenant": ("headland.cli.tenant:tenant", "Manage tenants."),
    "person": ("headland.cli.person:person", "Manage the people who may sign in to the portal."),
    "app": ("headland.cli.app:app", "Manage applications, their client secrets and certificates."),
    "secret": ("headland.cli.app.secrets:secret", "Manage an application's client secrets."),
    "key": ("headland.cli.key:key", "Look after the keys that sign access tokens."),
    "audit": ("headland.cli.audit:audit", "Read the trail of administrative changes."),
    "subscription": (
        "headland.cli.subscription:subscription",
        "Ask for subscriptions, and accept their terms.",
    ),
    "provider": ("headland.cli.provider:provider", "Register resource providers."),
    "group": ("headland.cli.group:group", "Manage resource groups."),
    "instance": ("headland.cli.instance:instance", "Manage instances of the agriculture service."),
    "farm": ("headland.cli.farm:farm", "Bring an instance's records in, and take them out."),
    "role": ("headland.cli.role:role", "Say who may do what."),
    "storage": ("headland.cli.storage:storage", "Copy files to and from cluster storage."),
    "archive": ("headland.cli.archive:archive", "Build application archives."),
    "completion": ("headland.cli.completion:completion", "Print a shell's completion script."),
}


class RootGroup(LazyGroup):
    """Ends with the exit codes of `ExitCode`, where click would know 1 and 2 alone."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, **extra)
        try:
            code = super().main(args, prog_name, complete_var, False, **extra)
        except CliError as error:
            error.show()
            sys.exit(error.code)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except click.Abort:
            CliError("interrupted").show()
            sys.exit(ExitCode.INTERRUPTED)
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            CliError(what, "check the path, its permissions and the space on its disk").show()
            sys.exit(ExitCode.FAILED)
        sys.exit(code if isinstance(code, int) else ExitCode.OK)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code.value), code.meaning) for code in ExitCode])


@click.group(cls=RootGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="headland", message="%(prog)s %(version)s")
def cli() -> None:
    """Headland: Spark batch jobs, farm data and identity on your own machines.

    Commands talk to the service that `headland login` named. The variables HEADLAND_URL,
    HEADLAND_TENANT, HEADLAND_CLIENT_ID, HEADLAND_CLIENT_SECRET and HEADLAND_CA go before it.
    """


def main() -> None:
    """Entry point of the `headland` program."""
    cli(prog_name="headland")
