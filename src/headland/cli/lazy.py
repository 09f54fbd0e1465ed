"""Command groups that load a command's module when it is asked for, and not before."""

import gc
import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

#: By command: `module:attribute` of the click command, and the line that stands for it in the group's help.
Commands = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group whose commands are a table. Its help is written from the table and loads nothing."""

    def __init__(self, *args: Any, table: Commands, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module, _, attribute = self.table[cmd_name][0].partition(":")
        # What an import makes stays: looking for garbage in between takes 5 to 10 % of its time, and once afterwards
        # as much again.
        gc.disable()
        try:
            command: click.Command = getattr(importlib.import_module(module), attribute)
        finally:
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names from the table; options as any command has them."""
        names = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in self.table.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]
