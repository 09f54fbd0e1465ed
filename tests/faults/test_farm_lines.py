"""Blows at random moments of imports and single writes: whatever was acknowledged is there, and an import goes on
from where it was told to have got, with nothing lost and nothing twice.

The seed is printed; `FAULT_SEED` repeats the plan of a run, `FAULT_FARM_ROUNDS` makes it longer.
"""

import asyncio
import contextlib
import json
import os
import random
import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.faults import machine
from tests.faults.blows import recovered
from tests.faults.farm import farm_served
from tests.serving import PATIENCE, Served

ROUNDS = int(os.environ.get("FAULT_FARM_ROUNDS", "5"))
SEED = int(os.environ.get("FAULT_SEED", time.time_ns() % 1_000_000))

VERSION = "api-version=2022-11-01-preview"

#: Lines of all imports together.
LINES = 30_000

#: Lines that are sent at once.
_AT_ONCE = 400

#: Rounds after which the service is started anew: its supervisor gives up when a process ends too often.
_FRESH = 3


def line(number: int) -> bytes:
    return b'{"id":"farm-%d","partyId":"elm","name":"n%d","properties":{"n":%d}}\n' % (number, number, number)


@dataclass
class Trial:
    """Rounds on one instance, and what was acknowledged in them."""

    served: Served
    client: httpx.Client
    #: The instance's address.
    uri: str
    dice: random.Random
    #: All lines up to this one were told to be on disk.
    done: int = 0
    #: Names that parties were given by writes that were acknowledged, and by those that may have got lost.
    written: dict[str, str] = field(default_factory=dict)
    attempted: dict[str, set[str]] = field(default_factory=dict)

    def run(self, number: int) -> None:
        if number % _FRESH == 0 and number:
            self.served.stop()
            self.served.start(authorize=False)
        over = threading.Event()
        threads = [
            threading.Thread(target=self._bring),
            *(threading.Thread(target=self._write, args=(number, n, over)) for n in range(2)),
        ]
        before = self.done
        for thread in threads:
            thread.start()
        time.sleep(self.dice.uniform(0.05, 0.6))
        blow = self.dice.choice(("web", "all"))
        if blow == "web":
            machine.kill(*machine.web(self.served))
        else:
            self.served.kill()
            self.served.start(authorize=False)
        recovered(self.served)
        over.set()
        for thread in threads:
            thread.join()
        self.check()
        print(f"round {number}: {blow}, lines {before} to {self.done}", flush=True)

    def _bring(self) -> None:
        """Import from where the last one got, reading what is told while more is sent."""
        with contextlib.suppress(OSError, EOFError):
            asyncio.run(self._exchange())

    async def _exchange(self) -> None:
        address = urlsplit(self.uri)
        tls = ssl.create_default_context(cafile=str(self.served.ca))
        reader, writer = await asyncio.open_connection(address.hostname, address.port, ssl=tls)
        head = (
            f"POST {address.path}/bulk/farms?{VERSION}&firstLine={self.done + 1} HTTP/1.1\r\n"
            f"host: {address.netloc}\r\n"
            f"authorization: {self.client.headers['authorization']}\r\n"
            "content-type: application/x-ndjson\r\n"
            "transfer-encoding: chunked\r\n\r\n"
        )
        writer.write(head.encode())
        sending = asyncio.create_task(self._send(writer, self.done))
        try:
            status = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            assert status.startswith(b"HTTP/1.1 200 "), status
            async for told in _lines(reader):
                event = json.loads(told)
                assert event["event"] in {"committed", "finished"}, event
                self.done = event["lines"]
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            writer.transport.abort()

    @staticmethod
    async def _send(writer: asyncio.StreamWriter, start: int) -> None:
        with contextlib.suppress(OSError):
            for first in range(start, LINES, _AT_ONCE):
                data = b"".join(map(line, range(first, min(first + _AT_ONCE, LINES))))
                writer.write(b"%x\r\n%b\r\n" % (len(data), data))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    def _write(self, number: int, writer: int, over: threading.Event) -> None:
        party = f"party-{writer}"
        for n in range(10_000):
            if over.is_set():
                return
            name = f"{number}-{n}"
            self.attempted.setdefault(party, set()).add(name)
            with contextlib.suppress(httpx.TransportError):
                answer = self._do("PATCH", f"/parties/{party}", json={"name": name}, headers=_PATCH)
                if answer.status_code in {200, 201}:
                    self.written[party] = name
                    self.attempted[party] = {name}

    def check(self) -> None:
        """What is there is whole; what was acknowledged is there, in its order."""
        taken = self._do("GET", "/bulk/farms")
        found = [json.loads(each) for each in taken.text.splitlines()]
        assert len(found) >= self.done
        assert [each["id"] for each in found] == [f"farm-{n}" for n in range(len(found))]
        assert all(each["properties"]["n"] == n and each["name"] == f"n{n}" for n, each in enumerate(found))
        for party, name in self.written.items():
            shown = self._do("GET", f"/parties/{party}").raise_for_status().json()["name"]
            # A write whose answer was lost may have been made.
            assert shown == name or shown in self.attempted[party]

    def _do(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.client.request(method, f"{self.uri}{path}?{VERSION}", **options)


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Those of a body in chunks (RFC 9112, section 7.1)."""
    begun = b""
    while size := int(await asyncio.wait_for(reader.readuntil(b"\r\n"), PATIENCE), 16):
        *whole, begun = (begun + (await reader.readexactly(size + 2))[:-2]).split(b"\n")
        for each in whole:
            yield each


_PATCH = {"content-type": "application/merge-patch+json"}


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    with farm_served(tmp_path) as (served, client, uri):
        yield Trial(served, client, uri, random.Random(SEED))


@pytest.mark.timeout(240 + 40 * ROUNDS)
def test_what_was_acknowledged_is_there(trial: Trial) -> None:
    print(f"FAULT_SEED={SEED}", json.dumps({"rounds": ROUNDS}))
    trial._do("PATCH", "/parties/elm", json={}, headers=_PATCH).raise_for_status()
    for number in range(ROUNDS):
        trial.run(number)
    while trial.done < LINES:
        before = trial.done
        trial._bring()
        assert trial.done > before
    trial.check()
    assert trial.done == LINES
    assert trial.written
