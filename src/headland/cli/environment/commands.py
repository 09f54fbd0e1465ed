"""`headland environment create`, `list`, `show`, `log` and `remove`."""

from functools import partial
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote

import click
from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.options import json_option, quiet_option
from headland.cli.output import plain, print_json, print_record, print_table, when
from headland.cli.polling import Polling
from headland.cli.surroundings import open_service, surroundings

if TYPE_CHECKING:
    from headland.cli.service import Service


class Environment(Struct):
    """What commands need of an environment."""

    name: str
    state: str
    owner: str | None = None
    default: bool = False
    python: str | None = None
    digest: str | None = None
    package_count: int | None = field(default=None, name="packageCount")
    size: int | None = None
    created_at: int | None = field(default=None, name="createdAt")
    problem: str | None = None
    packages: list[dict[str, str]] = []
    output: str = ""


class Page(Struct):
    """All environments."""

    environments: list[Environment]


class Environments:
    """Environments, by name."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._all = "/environments" if service.profile.private else "/livy/environments"

    def create(self, name: str, requirements: str) -> dict[str, Any]:
        body = {"name": name, "requirements": requirements}
        return self._service.document("POST", self._all, body=body)

    def list(self) -> dict[str, Any]:
        return self._service.document("GET", self._all)

    def get(self, name: str) -> dict[str, Any]:
        return self._service.document("GET", self._path(name), missing=_missing(name))

    def remove(self, name: str) -> dict[str, Any]:
        return self._service.document("DELETE", self._path(name), missing=_missing(name))

    def _path(self, name: str) -> str:
        return f"{self._all}/{quote(name, safe='')}"


@click.command()
@click.argument("name")
@click.option(
    "-r",
    "--requirements",
    "file",
    type=click.File("r", "utf-8"),
    required=True,
    help="A requirements file: names of packages with versions; - for standard input.",
)
@click.option("--no-wait", is_flag=True, help="Don't wait until it is built.")
@json_option
@quiet_option("Print nothing.")
def create(*, name: str, file: TextIO, no_wait: bool, as_json: bool, quiet: bool) -> None:
    """Make an environment of a requirements file."""
    try:
        requirements = file.read()
    except UnicodeDecodeError:
        raise CliError(f"{file.name} is not UTF-8 text") from None
    with open_service() as service:
        environments = Environments(service)
        document = environments.create(name, requirements)
        if not no_wait:
            document = _when_built(environments, name, document)
    made = view(document, Environment)
    if as_json:
        print_json(document)
    if made.state == "failed":
        raise CliError(
            f"environment {name} could not be built: {made.problem}",
            f"`headland environment log {name}` tells more",
        )
    if not (quiet or as_json):
        click.echo(f"Environment {name}: {made.state}{_content(made)}.")


@click.command("list")
@json_option
def list_environments(*, as_json: bool) -> None:
    """List environments."""
    with open_service() as service:
        document = Environments(service).list()
    if as_json:
        print_json(document)
        return
    print_table(
        ["Name", "State", "Python", "Packages", "Size", "Created", "Owner"],
        [
            [
                f"{each.name} *" if each.default else each.name,
                each.state,
                each.python,
                each.package_count,
                _size(each.size),
                when(each.created_at) if each.created_at is not None else None,
                each.owner,
            ]
            for each in view(document, Page).environments
        ],
        fold=("Name", "Owner"),
    )
    click.echo("* what jobs get that name none", err=True)


@click.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show an environment and its packages."""
    with open_service() as service:
        document = Environments(service).get(name)
    if as_json:
        print_json(document)
        return
    found = view(document, Environment)
    print_record(
        {
            "Name": found.name,
            "State": found.state,
            "Problem": found.problem,
            "Default": found.default,
            "Python": found.python,
            "Size": _size(found.size),
            "Content": found.digest,
            "Owner": found.owner,
            "Created": when(found.created_at) if found.created_at is not None else None,
        }
    )
    if found.packages:
        click.echo("\nPackages:")
        for package in found.packages:
            click.echo(f"  {plain(package['name'])} {plain(package['version'])}")


@click.command()
@click.argument("name")
def log(name: str) -> None:
    """Print what an environment's build has said."""
    with open_service() as service:
        output = view(Environments(service).get(name), Environment).output
    for line in output.splitlines():
        click.echo(plain(line) if line else "")


@click.command()
@click.argument("name")
@quiet_option("Print nothing.")
def remove(name: str, quiet: bool) -> None:
    """Remove an environment. Jobs that use it go on."""
    with open_service() as service:
        Environments(service).remove(name)
    if not quiet:
        click.echo(f"Environment {name}: removed.")


def _when_built(environments: Environments, name: str, document: dict[str, Any]) -> dict[str, Any]:
    """The environment, once it is built or has failed."""
    polling = Polling(surroundings(), lambda text: click.echo(f"headland: {text}", err=True))
    while view(document, Environment).state == "building":
        polling.pause()
        document = polling.ask(partial(environments.get, name))
    return document


def _content(made: Environment) -> str:
    if made.size is None:
        return ""
    return f", {made.package_count} packages, {_size(made.size)}"


def _size(size: int | None) -> str | None:
    return None if size is None else f"{size / 1_000_000:.1f} MB"


def _missing(name: str) -> CliError:
    return not_found(f"environment '{name}'", "environment list")
