"""Options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

#: Under this name a group keeps its `--tenant` for its commands.
TENANT = "headland.tenant"

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """`--json`: the service's own JSON, one document, in place of a table."""
    return click.option("--json", "as_json", is_flag=True, help="Print the service's own JSON.")(function)


def quiet_option(summary: str) -> Callable[[F], F]:
    """`--quiet`, which leaves out what `summary` says."""
    return click.option("--quiet", "-q", is_flag=True, help=summary)
