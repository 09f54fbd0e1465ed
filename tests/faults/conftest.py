"""A scene for each fault: set, struck, lifted, and over when every batch has ended."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults import tiny
from tests.faults.blows import DISK, FAULTS
from tests.faults.points import Scene
from tests.serving import FINAL, Served, eventually

#: Seconds within which batches have ended after a fault.
PATIENCE = 30.0


@pytest.fixture(scope="session")
def immutable(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where files can't be made immutable: it takes root, and a file system that knows of it."""
    file = tmp_path_factory.mktemp("immutable") / "file"
    file.touch()
    if os.geteuid() or not shutil.which("chattr"):
        pytest.skip("only root can make files immutable, with chattr")
    made = subprocess.run(["chattr", "+i", file], capture_output=True, text=True, check=False)
    subprocess.run(["chattr", "-i", file], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"files can't be made immutable here: {made.stderr.strip()}")


@pytest.fixture(scope="module")
def mount_small() -> Iterator[Callable[[Path, int], None]]:
    """Mount a small file system of its own on a folder; skips where that is not allowed."""
    mounted: list[Path] = []

    def mount(folder: Path, size: int) -> None:
        folder.mkdir(mode=0o700, parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            pytest.skip(f"a file system can't be mounted here: {made.stderr.strip()}")
        mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module", params=FAULTS)
def struck(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    mount_small: Callable[[Path, int], None],
) -> Iterator[Scene]:
    """The scene after the fault that `request.param` names. Whether all is well with it is for tests to say."""
    fault = str(request.param)
    folder = tmp_path_factory.mktemp(fault)
    if fault == "database_read_only":
        request.getfixturevalue("immutable")
    if fault == "disk_full":
        for jobs in ("batches", "sessions"):
            mount_small(folder / "home" / jobs, DISK)
    served = tiny_served(folder)
    scene = Scene(served, folder)
    try:
        served.start()
        scene.set_up()
        FAULTS[fault](scene)
        scene.let_controller_on()
        scene.release()
        settle(scene)
        yield scene
    finally:
        scene.close()
        served.close()


def tiny_served(folder: Path, **settings: str) -> Served:
    """A Headland whose Java and whose sessions' Python are tiny programs, and that does not wait long for anything."""
    return Served(
        folder / "home",
        jobs_java_home=str(tiny.install(folder)),
        jobs_python=str(tiny.install_python(folder)),
        database_busy_timeout="0.3",
        **{"jobs_max_running": "16", "jobs_kill_grace": "1", **settings},
    )


def settle(scene: Scene) -> None:
    """Wait for every batch's end, but not for ever: one that never ends is a finding of its own test."""

    def over() -> bool:
        rows = [scene.row(held.id) for held in [*scene.batches.values(), *scene.others]]
        return all(row is None or (row["state"] in FINAL and not row["delete_requested_at"]) for row in rows)

    try:
        eventually(over, "every batch has ended", PATIENCE)
    except AssertionError as unsettled:
        print(unsettled)
