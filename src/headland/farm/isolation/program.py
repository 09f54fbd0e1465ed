"""The worker's program: `python -m headland.farm.isolation.program`. Tasks come in on standard input, answers go out on
standard output: MessagePack, each behind its length in four bytes.
"""

import os
import signal
import sys
from typing import BinaryIO

import msgspec

from headland.farm.geometry.engine import shapely
from headland.farm.isolation.limits import addresses_taken, end_after, limit_memory, peak
from headland.farm.isolation.tasks import Answer, Task
from headland.http.validation import BodyInvalidError

#: Bytes that tasks may take beside what the worker has when it is idle, and seconds of a processor for each of them.
MOST_MEMORY, MOST_SECONDS = 96 << 20, 5.0

#: Bytes by which it may have grown once; where it has grown by more it is replaced.
_MOST_KEPT = 24 << 20

_encode = msgspec.msgpack.Encoder().encode

#: It could not be done within the limits.
EXHAUSTED = 75


def main(source: BinaryIO, target: BinaryIO) -> None:
    """Answer whatever comes, until nothing comes any more."""
    # What GEOS and numpy need at once: loaded before memory is limited by what there is.
    shapely.from_wkb(shapely.to_wkb(shapely.points([[0.0, 0.0]])))
    taken = addresses_taken()
    if taken is not None:
        limit_memory(taken + MOST_MEMORY)
    before = peak()
    decode = msgspec.msgpack.Decoder(Task).decode
    while head := source.read(4):
        task = decode(source.read(int.from_bytes(head, "big")))
        # What a transaction waits for has less.
        end_after(getattr(task, "seconds", MOST_SECONDS))
        answer = _answered(task)
        end_after(0)
        answer.last = peak() - before > _MOST_KEPT
        text = _encode(answer)
        target.write(len(text).to_bytes(4, "big") + text)
        target.flush()
        del task, text
        if answer.last:
            return


def _answered(task: Task) -> Answer:
    try:
        return Answer(msgspec.Raw(_encode(task.answer())))
    except BodyInvalidError as error:
        return Answer(refused=(error.field, error.reason))
    except (MemoryError, RuntimeError, shapely.errors.GEOSException) as error:
        # Some libraries have other words for it.
        if isinstance(error, MemoryError) or "alloc" in str(error):
            os._exit(EXHAUSTED)
        raise


if __name__ == "__main__":
    # Ctrl-C is for the service, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(sys.stdin.buffer, sys.stdout.buffer)
