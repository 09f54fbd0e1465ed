"""Read files and plan what becomes of them, in a process of its own: `python -m headland.portal.importing.program`.

A file of a megabyte may unfold to a hundred, and keep its reader busy for a minute. So who takes it from a browser does
not look into it: this process does, within limits, and what it says is short. Both are MessagePack, on standard input
and output.
"""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import msgspec
import structlog

from headland.farm.geometry import Limits
from headland.farm.geometry.engine import shapely
from headland.farm.isolation.limits import addresses_taken, limit_processor, surroundings
from headland.portal.importing.features import UnreadableFileError, packed, unpacked
from headland.portal.importing.planning import Choice, Plan, plan_of, property_names, usual_choice
from headland.portal.importing.reading import read_features

#: Bytes that it may take for any file, and for each byte of one.
_MEMORY, _MEMORY_A_BYTE = 80 << 20, 20

#: Seconds of a processor, and of the clock.
_SECONDS, _PATIENCE = 20, 60.0

#: Bytes of an answer.
_LONGEST = 64 << 20

#: Names of properties that are offered: nobody looks through more.
_MOST_NAMES = 500

#: As many of them work at a time; others wait.
_threads = ThreadPoolExecutor(2, "imports")

_log = structlog.get_logger("headland.portal")


@dataclass(frozen=True, slots=True)
class Job:
    """A file that is to be looked at: as it came, or what an earlier look has found in it."""

    party: str
    limits: Limits
    content: bytes = b""
    features: str = ""
    #: How it is to be taken; None for the usual way, with the boundaries of this field.
    choice: Choice | None = None
    field: str = ""
    #: Whether outlines are wanted with what is planned.
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found."""

    #: Why the file is not taken, or "".
    problem: str = ""
    #: What is in it, for the next look.
    features: str = ""
    names: list[str] = field(default_factory=list)
    choice: Choice = field(default_factory=Choice)
    plan: Plan = field(default_factory=Plan)


async def looked_at(job: Job) -> Outcome:
    """What comes of a file.

    Raises:
        UnreadableFileError: it is none that can be taken, or takes more than it may.
    """
    outcome = await asyncio.get_running_loop().run_in_executor(_threads, _asked, job)
    if outcome.problem:
        raise UnreadableFileError(outcome.problem)
    return outcome


def _asked(job: Job) -> Outcome:
    command = [sys.executable, "-P", "-m", __name__]
    try:
        done = subprocess.run(
            command,
            input=msgspec.msgpack.encode(job),
            stdout=subprocess.PIPE,
            timeout=_PATIENCE,
            check=True,
            env=surroundings(),
        )
        if len(done.stdout) > _LONGEST:
            raise UnreadableFileError(f"What is in the file is larger than {_LONGEST >> 20} MB.")
        return msgspec.msgpack.decode(done.stdout, type=Outcome)
    except (subprocess.SubprocessError, msgspec.MsgspecError) as error:
        _log.warning("import.exhausted", error=type(error).__name__)
        raise UnreadableFileError("The file takes more memory or time to be read than it may.") from None


def _answered(job: Job) -> Outcome:
    try:
        features = read_features(job.content) if job.content or not job.features else unpacked(job.features)
    except UnreadableFileError as error:
        return Outcome(str(error))
    names = property_names(features, _MOST_NAMES)
    choice = job.choice or usual_choice(names, job.field)
    plan = plan_of(features, choice, job.party, job.limits)
    if not job.whole:
        for row in plan.rows:
            row.geometry = b""
    return Outcome("", packed(features), names, choice, plan)


def main() -> None:
    """Answer what is asked."""
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    # What GEOS and numpy need at once: loaded before memory is limited by what there is.
    shapely.from_wkb(shapely.to_wkb(shapely.points([[0.0, 0.0]])))
    taken = addresses_taken()
    if taken is not None:
        most = taken + _MEMORY + _MEMORY_A_BYTE * len(job.content or job.features)
        # Not for good: a worker that measures an outline sets its own.
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    limit_processor(_SECONDS)
    try:
        answer = msgspec.msgpack.encode(_answered(job))
    except MemoryError:
        sys.exit("out of memory")
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    # Ctrl-C is for the service.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Requests come first.
    os.nice(10)
    main()
