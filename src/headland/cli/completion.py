"""`headland completion`."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a shell's completion script.

    For bash, put into ~/.bashrc: eval "$(headland completion bash)"
    """
    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click has all three
        raise click.UsageError(f"click knows no completion for {shell}.")
    click.echo(kind(ctx.find_root().command, {}, "headland", "_HEADLAND_COMPLETE").source())
