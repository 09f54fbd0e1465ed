"""What has to be true of each batch when a fault is over, by the point at which it was struck."""

from dataclasses import dataclass

from tests.faults import machine, tiny
from tests.faults.points import Held, Scene

_WRITTEN = (tiny.FIRST_LINE, tiny.LAST_LINE)


@dataclass(frozen=True)
class Truth:
    """How a batch has ended."""

    state: str
    runs: int
    #: What its log says of the end.
    because: str = "N/A"
    #: Which of the program's lines are in its log, in this order; with what it wrote after them, if anything.
    lines: tuple[str, ...] = _WRITTEN


UNHURT = Truth("success", 1)

_LOST = "how the application ended is not known"
_SHOT = "The application was stopped from outside by signal 9 (SIGKILL)."
_LOST_EARLY = Truth("dead", 0, _LOST, ())
_LOST_AT_WORK = Truth("dead", 1, _LOST, (tiny.FIRST_LINE,))
_LOST_WHEREVER = {"starting": _LOST_EARLY, "running": _LOST_AT_WORK, "finishing": _LOST_AT_WORK}

#: Whatever is not named here is unhurt. A batch that was being deleted is gone, whatever happened.
HURT: dict[str, dict[str, Truth]] = {
    "kill_runner": _LOST_WHEREVER,
    "kill_jvm": {
        "starting": Truth("killed", 0, _SHOT, ()),
        "running": Truth("killed", 1, _SHOT, (tiny.FIRST_LINE,)),
    },
    # What a program writes to a full disk is lost; that it ended well is not.
    "disk_full": {
        "starting": Truth("success", 1, lines=()),
        "running": Truth("success", 1, lines=(tiny.FIRST_LINE,)),
    },
    "pid_reuse": _LOST_WHEREVER,
    "reboot": _LOST_WHEREVER,
}


def truth(point: str, fault: str) -> Truth:
    return HURT.get(fault, {}).get(point, UNHURT)


def check_ended(scene: Scene, held: Held, wanted: Truth) -> None:
    """State, log, runs, and nothing left running."""
    served = scene.served
    lines = served.lines(held.id)
    said = next((line for line in lines if line.startswith("\t diagnostics: ")), "")
    assert (served.state(held.id), held.gates.runs) == (wanted.state, wanted.runs), lines
    assert wanted.because in said
    written = [line for line in lines if line in _WRITTEN]
    assert written[: len(wanted.lines)] == list(wanted.lines)
    assert len(written) == len(set(written))
    assert lines[-1].endswith(f"Shutdown complete: no process of batch {held.id} is left")
    assert [machine.command(pid) for pid in machine.bearers(held.key)] == []
    # What only its run needed is gone as well.
    assert not held.directory.staged.exists()
    assert not held.directory.temporary.exists()


def check_gone(scene: Scene, held: Held) -> None:
    """Nothing of a deleted batch remains."""
    assert scene.served.public.get(f"/livy/batches/{held.id}").status_code == 404
    assert scene.row(held.id) is None
    assert not held.directory.path.exists()
    assert [machine.command(pid) for pid in machine.bearers(held.key)] == []
