"""What Spark is asked for, by batches and sessions alike."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def spark_options(function: F) -> F:
    """Options for what Spark is asked for, which go by the names of Livy's fields."""
    for option in reversed(_SPARK):
        function = option(function)
    return function


def in_livys_words(**given: Any) -> dict[str, Any]:
    """Fields of a request, by the names of parameters. What was not given is left out."""
    if environment := given.pop("environment", None):
        given["conf"] = {**given.get("conf", {}), "spark.headland.environment": environment}
    body = {}
    for name, value in given.items():
        first, *others = name.split("_")
        body[first + "".join(map(str.capitalize, others))] = (
            list(value) if isinstance(value, tuple) else value
        )
    return {name: value for name, value in body.items() if value not in (None, [], {})}


def _settings(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for value, (name, equals, _) in zip(values, pairs, strict=True):
        if not name or not equals:
            raise click.BadParameter(f"'{value}' is not KEY=VALUE.")
    return {name: value for name, _, value in pairs}


_SPARK = (
    click.option(
        "--conf", multiple=True, metavar="KEY=VALUE", callback=_settings, help="Spark setting; repeatable."
    ),
    click.option("--jar", "jars", multiple=True, metavar="URL", help="Further archive; repeatable."),
    click.option("--py-file", "py_files", multiple=True, metavar="URL", help="Python module; repeatable."),
    click.option(
        "--file", "files", multiple=True, metavar="URL", help="File for the working folder; repeatable."
    ),
    click.option(
        "--archive", "archives", multiple=True, metavar="URL", help="Archive to unpack; repeatable."
    ),
    click.option("--environment", metavar="NAME", help="Python environment, see `headland environment`."),
    click.option("--driver-memory", metavar="SIZE", help="Such as 512m or 2g."),
    click.option("--driver-cores", type=click.IntRange(min=1), help="Cores of the driver."),
    click.option("--executor-memory", metavar="SIZE", help="Such as 512m or 2g."),
    click.option("--executor-cores", type=click.IntRange(min=1), help="Cores of each executor."),
    click.option("--num-executors", type=click.IntRange(min=1), help="How many executors."),
    click.option("--queue", help="Queue of the cluster's resource manager."),
    click.option("--proxy-user", help="User to run as."),
)
