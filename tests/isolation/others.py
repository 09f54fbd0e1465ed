"""What belongs to others than the job: files, a process, sockets, memory."""

import contextlib
import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.isolation.attempts import SECRET

#: A process as those of the service are: with a secret in its environment, and two sockets.
_SERVICE = """
import socket, sys
sockets = [socket.socket(socket.AF_UNIX) for _ in "12"]
for each, address in zip(sockets, (sys.argv[1], "\\0" + sys.argv[2])):
    each.bind(address)
    each.listen(100)
print("up", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def others(home: Path, python: str = sys.executable, user: int | None = None) -> Iterator[dict[str, Any]]:
    """Targets in a home, and of a process that is there as long as the context."""
    other = home / "batches" / "other"
    (other / "work").mkdir(parents=True)
    for file in (
        home / "key.pem",
        home / "spare",
        other / "launch.json",
        home.parent / "theirs",
    ):
        file.write_text(SECRET)
    for made in (home.parent, *home.parent.rglob("*")):
        os.chown(made, -1 if user is None else user, -1)
    key = int.from_bytes(os.urandom(3))
    libc = ctypes.CDLL(None, use_errno=True)
    memory = libc.shmget(key, 4096, 0o1666)
    path, name = str(home / "s.sock"), f"headland-tests-{key}"
    with subprocess.Popen(
        [python, "-S", "-c", _SERVICE, path, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"SECRET": SECRET},
        **({} if user is None else {"user": user, "group": user, "extra_groups": []}),
    ) as service:
        assert service.stdout is not None
        service.stdout.readline()
        yield {
            "home": str(home),
            "secret": str(home / "key.pem"),
            "spare": str(home / "spare"),
            "other_run": str(other),
            "temporary": str(home.parent / "theirs"),
            "process": service.pid,
            "socket": path,
            "abstract": name,
            "shared_memory": key,
        }
        service.kill()
    libc.shmctl(memory, 0, None)
