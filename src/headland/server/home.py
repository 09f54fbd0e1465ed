"""Make the home, or say why it can't be used."""

import fcntl
import os
import stat
import time
import uuid
from pathlib import Path

from headland.settings import Home

#: What a mode allows to others than the owner.
_OTHERS = 0o077


class HomeError(Exception):
    """The home can't be used. The message is one line for the operator."""


def prepare_home(home: Home) -> list[str]:
    """Make the folders that are missing, for their owner alone, and take from others what they could read so far. What
    was open, and what still is, in words for the operator.

    Raises:
        HomeError: a folder can't be made, entered or written to, or Spark could not cope with its name.
    """
    if "," in str(home.path):
        raise HomeError(f"the home {home.path} has a comma in its path, which for Spark is the end of a path")
    try:
        opened = _open_to_others(home)
        folders = (home.path, home.tls, home.storage, home.batches, home.sessions, home.farm, home.runtime)
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                raise HomeError(f"{folder} can't be read and written by this user")
        home.path.chmod(0o700)
    except OSError as error:
        raise HomeError(f"the home {home.path} can't be used: {error.strerror} ({error.filename})") from error
    return opened


def _open_to_others(home: Home) -> list[str]:
    """Closes what stands in the home itself and in `tls`; further below nobody comes who can't enter those.

    Raises:
        OSError: it can't be looked at, or closed.
    """
    said = []
    if home.path.exists():
        if home.path.stat().st_mode & _OTHERS:
            said.append(f"{home.path} could be read or entered by others; it can no more")
        present = [*home.path.iterdir(), *(home.tls.iterdir() if home.tls.is_dir() else ())]
        for path in present:
            mode = path.lstat().st_mode
            if mode & _OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
                if stat.S_ISREG(mode):
                    said.append(f"{path} had the mode {stat.S_IMODE(mode):o}; it is for its owner alone now")
    above = home.path.parent
    mode = above.stat().st_mode if above.exists() else 0
    if mode & (stat.S_IWGRP | stat.S_IWOTH) and not mode & stat.S_ISVTX:
        said.append(
            f"{above} can be written by others, who can put another home in the place of {home.path.name}"
        )
    return said


def home_id(home: Home) -> str:
    """What the home is known by; made with the first call.

    Raises:
        OSError: it can't be kept.
    """
    file = home.id_file
    if not file.exists():
        temporary = file.with_suffix(".new")
        with temporary.open("w", encoding="ascii") as opened:
            opened.write(f"{uuid.uuid4()}\n")
            opened.flush()
            os.fsync(opened.fileno())
        temporary.replace(file)
    return file.read_text("ascii").strip()


def hold(file: Path, patience: float) -> int | None:
    """Lock a file for this process's life; the descriptor, or None where another process keeps it for
    `patience` seconds. Who asks `held` keeps it for an instant, a `serve` that was just killed for a moment.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                return None
            time.sleep(0.02)
        else:
            return descriptor


def held(file: Path) -> bool:
    """Whether some process holds the lock."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
