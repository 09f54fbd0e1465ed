"""`cli.md`: every command with its help, and the exit codes."""

from collections.abc import Iterator

import click

from generator.markdown import code, fenced, page, table
from headland.cli.exit_codes import ExitCode
from headland.cli.main import cli

WIDTH = 80

_INTRODUCTION = """\
`headland` starts the service on this machine and talks to one, here or elsewhere. Every command has `--help`;
those that print records have `--json`."""

_EXIT_CODES = "Scripts may rely on these numbers: they never change their meaning."


def commands() -> Iterator[click.Context]:
    """A context for every command, groups before what is in them."""
    yield from _below(cli, "headland", None)


def cli_page() -> str:
    """The page."""
    blocks = []
    for context in commands():
        blocks += [f"## {context.command_path}", fenced(context.command.get_help(context), "text")]
    codes = table(("Code", "Meaning"), ((code(item.value), item.meaning) for item in ExitCode))
    return page("Command line", _INTRODUCTION, "## Exit codes", _EXIT_CODES, codes, *blocks)


def _below(command: click.Command, name: str, parent: click.Context | None) -> Iterator[click.Context]:
    context = click.Context(
        command,
        parent=parent,
        info_name=name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        color=False,
        **command.context_settings,
    )
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None and not found.hidden:
                yield from _below(found, below, context)
