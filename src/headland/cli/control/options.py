"""Options that the commands of the control plane share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def subscription_option(function: F) -> F:
    """`--subscription`."""
    return click.option(
        "--subscription", metavar="ID", help="Subscription, where more than one is open to you."
    )(function)


def tag_option(function: F) -> F:
    """`--tag NAME=VALUE`, repeatable, as a mapping."""
    return click.option(
        "--tag", "tags", multiple=True, metavar="NAME=VALUE", callback=_tags, help="A tag; repeatable."
    )(function)


def _tags(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"'{value}' is not NAME=VALUE.")
        tags[name] = text
    return tags


def shown_tags(tags: dict[str, str] | None) -> str:
    """Tags on one line."""
    return ", ".join(f"{name}={value}" for name, value in (tags or {}).items())
