"""`headland ca`: which certificate clients of this machine's service have to trust."""

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.settings import Home


@click.command()
def ca() -> None:
    """Print the path of the local CA's certificate, for `curl --cacert "$(headland ca)"` and the like."""
    certificate = Home.default().ca_certificate
    if not certificate.is_file():
        raise CliError(
            f"there is no local CA at {certificate}",
            "start `headland serve` once, or set HEADLAND_HOME",
            ExitCode.NOT_FOUND,
        )
    click.echo(str(certificate))
