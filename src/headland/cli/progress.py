"""A bar for bytes that go to and fro, where somebody looks at a terminal."""

import contextlib
from collections.abc import Callable, Iterator

from headland.cli.output import console

#: Columns of a bar, and of the name before it: with bytes and speed they fit into 80.
_BAR, _NAME = 20, 32

#: Told how many bytes more have gone.
Advance = Callable[[int], None]


@contextlib.contextmanager
def transfer(name: str, size: int, *, quiet: bool) -> Iterator[Advance]:
    """`size` in bytes; 0 where nobody knows."""
    stderr = console(stderr=True)
    if quiet or not stderr.is_terminal:
        yield lambda _: None
        return
    from rich import progress  # noqa: PLC0415 - needed on a terminal alone

    with progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(_BAR),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        console=stderr,
        transient=True,
    ) as bars:
        task = bars.add_task(name if len(name) <= _NAME else f"{name[: _NAME - 1]}…", total=size or None)
        yield lambda more: bars.advance(task, more)
