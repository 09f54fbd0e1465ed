"""A log that is followed by real HTTP clients, through a crash of the service and its stop."""

import contextlib
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.serving import HEADLAND, Served, eventually

#: A program in the place of Java's: it counts until it is told to stop.
JAVA = """#!/bin/sh
number=0
while [ ! -e {stop} ]; do number=$((number + 1)); echo "line $number"; sleep 0.01; done
printf 'the end'
"""


@pytest.fixture
def counting(make_served: Callable[..., Served], tmp_path: Path) -> tuple[Served, int, Path]:
    """A service with a batch that counts, its id, and the file that stops it."""
    java, stop = tmp_path / "java" / "bin" / "java", tmp_path / "stop"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(stop=stop))
    java.chmod(0o755)
    served = make_served(jobs_java_home=str(java.parent.parent), server_shutdown_grace="20")
    served.start()
    with zipfile.ZipFile(tmp_path / "app.jar", "w") as archive:
        archive.writestr("a/B.class", b"")
    body = {"file": served.put(tmp_path / "app.jar", "app.jar"), "className": "a.B"}
    return served, served.submit(**body).json()["id"], stop


def events(response: httpx.Response) -> Iterator[tuple[str, str, str]]:
    """Each event's name, id and data."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = f"{fields[name]}\n{value}" if name in fields else value
        elif "data" in fields:
            yield fields.get("event", ""), fields.get("id", ""), fields["data"]
            fields = {}


def follow(served: Served, batch: int, place: str | None) -> Iterator[tuple[str, str, str]]:
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    if place is not None:
        headers["Last-Event-ID"] = place
    with served.public.stream("GET", f"/livy/batches/{batch}/log", headers=headers) as response:
        assert response.status_code == 200
        assert "content-encoding" not in response.headers
        yield from events(response)


def test_a_follower_that_comes_back_after_a_crash_misses_and_repeats_nothing(
    counting: tuple[Served, int, Path],
) -> None:
    served, batch, stop = counting
    seen: list[str] = []
    place = None
    for name, place, line in follow(served, batch, None):  # noqa: B007 - the last place is what matters
        assert name == ""
        seen.append(line)
        if len(seen) == 40:
            break
    served.kill()
    served.start()
    for name, told, line in follow(served, batch, place):
        if name == "end":
            assert line == "success"
            break
        place = told
        seen.append(line)
        if len(seen) == 100:
            stop.touch()
    assert seen[0] == "stdout: "
    last = seen.index("the end")
    assert seen[1:last] == [f"line {number}" for number in range(1, last)]
    assert seen == served.lines(batch)


def test_the_service_stops_though_its_logs_are_followed(counting: tuple[Served, int, Path]) -> None:
    served, batch, stop = counting
    seen: list[str] = []

    def watch() -> None:
        with contextlib.suppress(httpx.TransportError):
            seen.extend(line for _, _, line in follow(served, batch, None))

    watching = threading.Thread(target=watch)
    watching.start()
    eventually(lambda: len(seen) > 10, "it is followed")
    begun = time.monotonic()
    assert served.stop() == 0
    assert time.monotonic() - begun < 10, "long before its patience with answers under way is over"
    watching.join(30)
    assert not watching.is_alive()
    stop.touch()
    served.start()
    assert served.wait(batch) == "success"


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_command_that_follows_goes_on_after_a_restart(
    counting: tuple[Served, int, Path], tmp_path: Path, end: str
) -> None:
    served, batch, stop = counting
    with (tmp_path / "followed").open("w") as followed:
        command = subprocess.Popen(
            [str(HEADLAND), "batch", "log", "--follow", str(batch)],
            env=served.command_environment,
            stdout=followed,
            stderr=subprocess.PIPE,
        )
    seen = tmp_path / "followed"
    eventually(lambda: seen.read_text().count("\n") > 40, "lines come")
    served.stop() if end == "stop" else served.kill()
    served.start()
    before = seen.read_text().count("\n")
    eventually(lambda: seen.read_text().count("\n") > before + 40, "more lines come")
    stop.touch()
    _, complaints = command.communicate(timeout=60)
    assert command.returncode == 0
    assert b"still trying" in complaints
    assert seen.read_text() == "".join(f"{line}\n" for line in served.lines(batch))
