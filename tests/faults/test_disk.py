"""A disk that gets full at each of the writes between a runner's start and its program's, one after another."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults import machine
from tests.faults.blows import DISK, fill, logged
from tests.faults.conftest import tiny_served
from tests.faults.points import Scene
from tests.faults.truths import Truth, check_ended
from tests.serving import eventually

pytestmark = pytest.mark.timeout(120)

PAGE = 4096

#: More than a runner writes, page by page: its last trials meet no full disk before the program's own output.
PAGES = 8


def test_wherever_the_disk_gets_full_a_batch_runs_once_and_ends_well(
    tmp_path: Path, mount_small: Callable[[Path, int], None]
) -> None:
    mount_small(tmp_path / "home" / "batches", DISK)
    served = tiny_served(tmp_path)
    scene = Scene(served, tmp_path)
    filler = served.home / "batches" / "filler"
    try:
        served.start()
        scene.put_archive()
        for spare in range(PAGES):
            held = scene.catch_spawned(machine.controller(served))
            fill(filler, spare * PAGE)
            scene.release()
            # It has ended, or it waits for room.
            eventually(
                lambda held=held: held.directory.exit.exists() or logged(scene, held.id), "the disk was met"
            )
            filler.unlink()
            served.wait(held.id)
            check_ended(scene, held, Truth("success", 1, lines=()))
    finally:
        scene.close()
        served.close()
