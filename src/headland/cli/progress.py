"""A bar for bytes that go to and fro, where somebody looks at a terminal."""

import contextlib
from collections.abc import Callable, Iterator

from headland.cli.output import console

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
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        console=stderr,
        transient=True,
    ) as bars:
        task = bars.add_task(name, total=size or None)
        yield lambda more: bars.advance(task, more)
