# ruff: noqa: INP001 - a program, not a module of a package
"""Write the generated pages of `docs/` anew: what `make docs` runs."""

from collections.abc import Callable
from pathlib import Path

import click
from generator.api import api_page, openapi_page
from generator.authorization import authorization_page
from generator.cli import cli_page
from generator.errors import errors_page
from generator.markdown import with_part
from generator.performance import measured, performance_page
from generator.settings import settings_page

HERE = Path(__file__).parent

PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "api.md": api_page,
    "openapi.json": openapi_page,
    "cli.md": cli_page,
    "errors.md": errors_page,
    "authorization.md": authorization_page,
    "performance.md": performance_page,
}

#: Pages that are written, of which a part is generated.
PARTS: dict[str, Callable[[], str]] = {"environments.md": lambda: measured("environment")}


def main() -> None:
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
        click.echo(f"docs/{name}")
    for name, part in PARTS.items():
        written = HERE / name
        written.write_text(with_part(written.read_text(encoding="utf-8"), part()), encoding="utf-8")
        click.echo(f"docs/{name}, a part")


if __name__ == "__main__":
    main()
