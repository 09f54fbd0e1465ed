"""A burst of submissions: every one is acknowledged, runs once, and ends.

`BURST` says how many; what is run in the place of Java is a program of a few milliseconds, all else is real.
"""

import collections
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.serving import FINAL, Served, eventually

pytestmark = pytest.mark.timeout(3600)

COUNT = int(os.environ.get("BURST", "300"))
RUNNING = 8

#: Puts the batch's mark into a file, says something, and is gone.
JAVA = """#!/bin/sh
echo "$HEADLAND_RUN" >> {marks}
echo "done"
"""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    return tmp_path / "marks"


@pytest.fixture
def burst(make_served: Callable[..., Served], tmp_path: Path, marks: Path) -> Iterator[Served]:
    """A Headland whose Java is that program."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(marks=marks))
    java.chmod(0o755)
    served = make_served(
        jobs_java_home=str(java.parent.parent), jobs_max_running=str(RUNNING), jobs_keep_ended="0"
    )
    served.start()
    yield served
    # Stopped here: deleting them all, as `close` does, is not what this is about.
    served.stop()


@pytest.fixture
def body(burst: Served, tmp_path: Path) -> dict[str, object]:
    archive = tmp_path / "app.jar"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("org/example/Main.class", b"")
    return {"file": burst.put(archive, "jars/app.jar"), "className": "org.example.Main"}


def listed(served: Served) -> list[dict[str, object]]:
    """All batches, page by page."""
    found: list[dict[str, object]] = []
    while page := served.private.get("/batches", params={"from": len(found), "size": 1000}).json()[
        "sessions"
    ]:
        found += page
    return found


def ended(served: Served) -> int:
    """How many have ended, as the metrics have it."""
    text = served.private.get("/metrics").text
    return sum(
        int(float(line.split()[-1]))
        for line in text.splitlines()
        if any(line.startswith(f'headland_batches{{state="{state}"}}') for state in FINAL)
    )


def test_a_burst_is_acknowledged_and_ends(burst: Served, body: dict[str, object], marks: Path) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(8) as callers:
        answers = list(
            callers.map(lambda _: burst.private.post("/batches", json=body).json()["id"], range(COUNT))
        )
    submitted = time.monotonic()
    assert sorted(answers) == list(range(COUNT))
    # However many wait, one of them is got rid of at once.
    assert burst.private.delete(f"/batches/{COUNT - 1}").status_code == 200
    assert burst.private.get(f"/batches/{COUNT - 1}").status_code == 404
    assert burst.private.post(f"/batches/{COUNT - 2}/kill").status_code == 200
    assert burst.private.get(f"/batches/{COUNT - 2}/state").json()["state"] == "killed"
    relieved = time.monotonic()
    eventually(lambda: ended(burst) == COUNT - 1, "all have ended", patience=3000)
    took = time.monotonic() - began
    print(
        f"{COUNT} acknowledged in {submitted - began:.1f} s, ended in {took:.1f} s: {COUNT / took:.1f} a second; "
        f"one deleted and one killed in {relieved - submitted:.2f} s"
    )
    batches = listed(burst)
    assert [batch["id"] for batch in batches] == list(range(COUNT - 1))
    states = collections.Counter(batch["state"] for batch in batches)
    assert states == {"success": COUNT - 2, "killed": 1}
    ran = marks.read_text().split()
    assert len(ran) == len(set(ran)) == COUNT - 2
