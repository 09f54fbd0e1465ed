"""No answer holds up the others, however much there is to tell: logs of hundreds of megabytes, ten thousand batches."""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import msgspec
import pytest
from tests.loop_lag import MOST_LAG, MOST_MEMORY, PeakMemory, longest_lag

from headland.jobs.batches.record import head
from headland.jobs.batches.tables import batch
from headland.jobs.sessions import commission, store
from headland.jobs.sessions.host.journal import AVAILABLE, Journal
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.tables import session

from .conftest import CLIENT, NODE

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc"),
]

MIB = 1 << 20

#: Bytes that no answer here has.
LARGER = 1 << 40

#: What logs are made of, over and over, and how many bytes they have.
LINES = {
    "usual lines": (
        b"24/05/01 12:00:00 INFO TaskSetManager: Finished task 7.0 in stage 1.0 (TID 7) in 5 ms\n",
        208 * MIB,
    ),
    "lines of zeros": (b"\0" * 65_536 + b"\n", 32 * MIB),
    "lines that go back": (b"\r" * 65_000 + b"\n", 32 * MIB),
    "empty lines": (b"\n" * 65_536, MIB),
    "no line": (b"x" * 65_536, 208 * MIB),
}

EVENTS, TEXT = {"accept": "text/event-stream"}, {"accept": "text/plain"}

#: What is asked of a log, with which headers.
ASKED = {
    "all": ("/batches/0/log?from=0&size=-1", {}),
    "all as text": ("/batches/0/log?from=0&size=-1", TEXT),
    "all as events": ("/batches/0/log", EVENTS),
    "events from a line on": ("/batches/0/log?from=2400000", EVENTS),
    "a thousand lines": ("/batches/0/log?size=1000", {}),
    "the record": ("/batches/0", {}),
    "the list": ("/batches", {}),
}


@dataclass
class Taken:
    """An answer of which nothing is kept."""

    status: int = 0
    size: int = 0


async def take(client: httpx.AsyncClient, path: str, headers: dict[str, str], most: int) -> Taken:
    """What httpx would do, without keeping the body. The client goes when it has `most` bytes."""
    request = client.build_request("GET", path, headers=headers)
    taken = Taken()
    scope = {
        "type": "http",
        "method": "GET",
        "path": request.url.path,
        "raw_path": request.url.raw_path,
        "query_string": request.url.query,
        "root_path": "",
        "scheme": "https",
        "http_version": "1.1",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "server": ("headland.test", 8443),
    }

    enough = asyncio.Event()

    async def receive() -> dict[str, object]:
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            taken.status = message["status"]
            return
        piece = message.get("body", b"")
        taken.size += len(piece)
        if taken.size > most:
            enough.set()
        await asyncio.sleep(0)

    await client._transport.app(scope, receive, send)
    return taken


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Callable[[str], object]:
    """Long logs, made once each."""
    folder = tmp_path_factory.mktemp("logs")

    def log(name: str):
        file = folder / name.replace(" ", "-")
        if not file.exists():
            lines, size = LINES[name]
            with file.open("wb") as opened:
                while opened.tell() < size:
                    opened.write(lines * (1 + MIB // len(lines)))
        return file

    yield log
    for file in folder.iterdir():
        file.unlink()


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("lines", LINES)
async def test_long_logs(service, logs, lines, asked):
    path, headers = ASKED[asked]
    await service.submit()
    if headers == EVENTS:
        service.end(0)
    else:
        service.run(0)
    output = service.directory(0).output
    output.unlink(missing_ok=True)
    output.hardlink_to(logs(lines))
    answers = []

    async def ask() -> None:
        answers.append(await take(service.public, path, {**service.bearer(), **headers}, 16 * MIB))

    memory = PeakMemory()
    lag = await longest_lag(ask)
    assert {answer.status for answer in answers} == {200}
    assert memory.more() < MOST_MEMORY
    assert lag < MOST_LAG


async def test_all_of_a_log_is_more_than_is_ever_in_memory(service, logs):
    await service.submit()
    service.run(0)
    output = service.directory(0).output
    output.unlink()
    output.hardlink_to(logs("usual lines"))
    for headers in ({}, TEXT):
        memory = PeakMemory()
        path, _ = ASKED["all"]
        taken = await take(service.public, path, {**service.bearer(), **headers}, LARGER)
        assert taken.size > LINES["usual lines"][1]
        assert memory.more() < MOST_MEMORY


MANY = 10_000


def fill_batches(connection) -> None:
    """With ends of logs that programs can write."""
    (first,) = connection.execute(batch.select())
    tail = json.dumps(["\x01" * 4_000] * 10).encode()
    for number in range(1, MANY):
        own = {"id": number, "run_key": f"{number:032x}", "log_tail": tail if number > MANY - 400 else b"[]"}
        own["record"] = head((number, f"n{number}", CLIENT, None, "success", None, None))
        connection.execute(batch.insert(), {**first._mapping, **own, "state": "success", "finished_at": 1})


def fill_sessions(connection) -> None:
    """The last of them with a configuration that is as long as a request may be."""
    (first,) = connection.execute(session.select())
    wanted = commission.decode(first.request)
    conf = {f"spark.k{number}": "v" for number in range(40_000)}
    asked = msgspec.structs.replace(wanted.submission, conf=conf)
    large = commission.encode(msgspec.structs.replace(wanted, submission=asked))
    ended = {"state": "dead", "finished_at": 1}
    for number in range(1, MANY):
        request = large if number > MANY - 100 else first.request
        own = {"id": number, "run_key": f"{number:032x}", "request": request}
        connection.execute(session.insert(), {**first._mapping, **ended, **own})


@pytest.mark.parametrize(
    ("what", "query", "count"),
    [
        ("batches", "size=10000", MANY),
        pytest.param("batches", "from=9900", 100, marks=pytest.mark.long),
        ("batches", "size=10000&order=desc&include=times,progress", MANY),
        ("sessions", "size=10000", MANY),
        pytest.param("sessions", "from=9900", 100, marks=pytest.mark.long),
    ],
)
async def test_long_lists(service, what, query, count):
    if what == "batches":
        await service.submit()
        service.database.write_and_wait(fill_batches)
    else:
        assert (await service.post("/sessions", json={"kind": "sql"})).status_code == 201
        service.database.write_and_wait(fill_sessions)
    answers = []

    async def ask() -> None:
        taken = await take(service.public, f"/{what}?{query}", service.bearer(), 16 * MIB)
        answers.append(taken)

    memory = PeakMemory()
    lag = await longest_lag(ask)
    assert {answer.status for answer in answers} == {200}
    assert memory.more() < MOST_MEMORY
    assert lag < MOST_LAG
    small = f"/{what}?size={MANY - 500}"
    assert len((await service.get(small)).json()["sessions"]) == MANY - 500


@pytest.mark.parametrize("long", [False, True])
async def test_statements(service, long):
    """Of a session that is over: ten thousand, or a few as long as they may be."""
    assert (await service.post("/sessions", json={"kind": "sql"})).status_code == 201
    row = service.database.read(lambda connection: store.get(connection, 0))
    folder = SessionFolder(service.home.sessions / row.run_key)
    folder.path.mkdir(parents=True)
    journal = Journal(folder.journal)
    journal.open()
    number, code = (6, b'"%s"' % (b"c" * 32 * MIB)) if long else (MANY, b'"%s"' % (b"c" * 20_000))
    output = {"status": "ok", "data": {"text/plain": "line\n" * (3 * MIB if long else 10)}}
    for _ in range(number):
        journal.end(journal.accept("sql", code, 1), AVAILABLE, output, 2)
    ended = {"claimed_by": NODE, "state": "dead", "finished_at": 5}
    service.database.write_and_wait(lambda connection: store.change(connection, 0, **ended))
    for path in ("/sessions/0/statements", f"/sessions/0/statements/{number - 1}"):
        answers = []

        async def ask(path: str = path, answers: list[Taken] = answers) -> None:
            answers.append(await take(service.public, path, service.bearer(), 48 * MIB))

        memory = PeakMemory()
        lag = await longest_lag(ask)
        assert {answer.status for answer in answers} == {200}
        assert memory.more() < MOST_MEMORY
        assert lag < MOST_LAG
