"""Show how far a batch has come: bars on a terminal, lines elsewhere. All of it goes to standard error."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from headland.cli.batch.jobs import Progress, Stage
from headland.cli.errors import one_line
from headland.cli.output import console
from headland.cli.surroundings import surroundings

if TYPE_CHECKING:
    import rich.progress

#: Seconds between two lines of which the state is the same.
LINE_INTERVAL = 5.0

#: Stages shown at once.
MOST_BARS = 6


class Watcher(Protocol):
    """Somebody who is told how far a batch has come."""

    def see(self, progress: Progress) -> None:
        """Take note of where it stands."""

    def say(self, text: str) -> None:
        """Pass on a remark."""


@contextmanager
def watcher(*, quiet: bool) -> Iterator[Watcher]:
    """Bars, lines, or nobody."""
    if quiet:
        yield Nobody()
        return
    stderr = console(stderr=True)
    if not stderr.is_terminal:
        yield Lines()
        return
    from rich import progress  # noqa: PLC0415 - needed on a terminal alone

    with progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        progress.TimeElapsedColumn(),
        console=stderr,
        transient=True,
    ) as bars:
        yield Bars(bars)


class Nobody:
    """Shows nothing."""

    def see(self, progress: Progress) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class Lines:
    """A line when the state changes, and one now and then as tasks are done."""

    def __init__(self) -> None:
        self._clock = surroundings().monotonic
        self._state = ""
        self._line = ""
        self._at = 0.0

    def see(self, progress: Progress) -> None:
        line = _line(progress)
        due = progress.state != self._state or self._clock() - self._at >= LINE_INTERVAL
        if due and line != self._line:
            self._state, self._line, self._at = progress.state, line, self._clock()
            click.echo(line, err=True)

    def say(self, text: str) -> None:
        click.echo(f"headland: {text}", err=True)


class Bars:
    """A bar for the batch, and one for each stage under way."""

    def __init__(self, bars: "rich.progress.Progress") -> None:
        self._bars = bars
        self._whole: rich.progress.TaskID | None = None
        self._stages: dict[tuple[int, int], rich.progress.TaskID] = {}

    def see(self, progress: Progress) -> None:
        title = f"Batch {progress.id}: {progress.state}"
        if self._whole is None:
            self._whole = self._bars.add_task(title, total=0)
        self._bars.update(self._whole, description=title, total=progress.tasks, completed=progress.completed)
        running = [stage for stage in progress.stages if stage.state == "running"][:MOST_BARS]
        for stage in running:
            self._see_stage(stage)
        for key in self._stages.keys() - {(stage.id, stage.attempt) for stage in running}:
            self._bars.remove_task(self._stages.pop(key))

    def say(self, text: str) -> None:
        self._bars.console.print(f"headland: {text}")

    def _see_stage(self, stage: Stage) -> None:
        key = (stage.id, stage.attempt)
        if key not in self._stages:
            self._stages[key] = self._bars.add_task(f"  {_stage(stage)}", total=stage.tasks)
        self._bars.update(self._stages[key], total=stage.tasks, completed=stage.completed)


def _line(progress: Progress) -> str:
    line = f"Batch {progress.id}: {progress.state}"
    if progress.tasks:
        line += f", {progress.completed} of {progress.tasks} tasks"
    if progress.failed:
        line += f", {progress.failed} failed"
    running = [stage for stage in progress.stages if stage.state == "running"][:1]
    return line + "".join(f", {_stage(stage)} {stage.completed}/{stage.tasks}" for stage in running)


def _stage(stage: Stage) -> str:
    name = one_line(stage.name)
    return f"stage {stage.id} {name if len(name) <= 40 else name[:39] + '…'}"
