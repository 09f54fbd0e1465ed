"""No page holds up the others: files of a megabyte that are brought in, and lists of ten thousand."""

import io
import json
import sys
import uuid
import zipfile
from collections.abc import Iterator

import httpx
import pytest
import shapefile
from tests.loop_lag import MOST_LAG, MOST_MEMORY, PeakMemory, collecting_as_served, longest_lag
from tests.service.portal.conftest import Browser, Page
from tests.service.portal.land import PARTY, filled, provisioned

from headland.identity.people import tables as people_tables
from headland.identity.tables import application
from headland.jobs.batches.record import head
from headland.jobs.batches.tables import batch
from headland.jobs.sessions.host.journal import AVAILABLE, Journal
from headland.jobs.sessions.tables import session

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc"),
]

MANY = 10_000
IMPORT = f"{PARTY}/import"
SQUARE = [[9.0, 53.0], [9.01, 53.0], [9.01, 53.01], [9.0, 53.0]]


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    with collecting_as_served():
        yield


def collection(features: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def feature(properties: object, *rings: object) -> dict[str, object]:
    geometry = {"type": "Polygon", "coordinates": list(rings) or [SQUARE]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def bomb(parts: int, points: int) -> bytes:
    """A shapefile of very many points, which are all the same, zipped."""
    files = {part: io.BytesIO() for part in ("shp", "shx", "dbf")}
    with shapefile.Writer(**files) as writer:
        writer.field("NAME", "C")
        for _ in range(parts):
            writer.poly([[[9.0, 53.0]] * points])
            writer.record(NAME="a" * 50)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, file in files.items():
            opened.writestr(f"a.{name}", file.getvalue())
    return archive.getvalue()


FILES = {
    "lists in lists": lambda: b'{"type":"FeatureCollection","features":' + b"[" * 900_000,
    "objects in objects": lambda: b'{"type":"Feature","geometry":' + b'{"a":' * 180_000,
    "features of nothing": lambda: b'{"type":"FeatureCollection","features":[' + b"{}," * 330_000 + b"{}]}",
    "rings of nothing": lambda: b'{"type":"Polygon","coordinates":[' + b"[]," * 330_000 + b"[]]}",
    "many features": lambda: collection([feature({"a": 1})] * 4_900),
    "a feature with many properties": lambda: collection([feature({f"k{n}": n for n in range(60_000)})]),
    "features with properties of their own": lambda: collection(
        [feature({f"k{n}-{m}": m for m in range(18)}) for n in range(2_400)]
    ),
    "many positions": lambda: collection([feature({}, [[n / 1e6, n % 2] for n in range(40_000)])]),
    "a bomb of zeros": lambda: bomb(1, 3_900_000),
    "a bomb of shapes": lambda: bomb(4_000, 900),
}


@pytest.fixture
async def ada(portal, inside) -> Browser:
    ada = await portal.person()
    await provisioned(portal, ada)
    await filled(inside)
    return ada


@pytest.mark.parametrize("name", FILES)
async def test_files_that_are_brought_in(ada, name):
    content = FILES[name]()
    assert len(content) <= 1_000_000
    token = (await ada.open(IMPORT)).value("csrf")
    form = httpx.Request("POST", "http://test", data={"csrf": token}, files={"file": ("a", content)})
    sent, answers = form.read(), []

    async def ask() -> None:
        answers.append(Page(await ada.client.post(IMPORT, content=sent, headers=form.headers)))

    await ask()
    memory = PeakMemory()
    lag = await longest_lag(ask, attempts=4)
    assert {answer.status for answer in answers} <= {200, 400}, answers[0].text
    assert memory.more() < MOST_MEMORY
    assert lag < MOST_LAG


async def test_a_file_that_unfolds_to_more_than_may_be_is_refused(ada):
    token = (await ada.open(IMPORT)).value("csrf")
    answer = await ada.client.post(
        IMPORT, data={"csrf": token}, files={"file": ("a", FILES["a bomb of zeros"]())}
    )
    assert answer.status_code == 400
    assert "takes more memory or time" in Page(answer).text


def fill(portal) -> None:
    """Ten thousand of each, a session with as many statements included."""

    def write(connection):
        for number in range(MANY):
            state, own = "success", {"id": number, "run_key": f"{number:032x}"}
            record = head((number, f"n{number}", None, None, state, None, None))
            tail = json.dumps(["<" * 4_000] * 10).encode()
            connection.execute(
                batch.insert(),
                {**own, "state": state, "request": b"{}", "created_at": 1, "finished_at": 2}
                | {"record": record, "log_tail": tail if number > MANY - 100 else b"[]"},
            )
            request = json.dumps({"submission": {"file": "shell"}, "kind": "sql"}).encode()
            connection.execute(
                session.insert(),
                {
                    **own,
                    "kind": "sql",
                    "state": "dead",
                    "request": request,
                    "created_at": 1,
                    "finished_at": 2,
                },
            )
            connection.execute(
                application.insert(),
                {"client_id": str(uuid.uuid4()), "object_id": str(uuid.uuid4()), "tenant_id": portal.tenant}
                | {"name": f"tractor {number}", "administrator": False, "created_at": number},
            )
            connection.execute(
                people_tables.person.insert(),
                {"object_id": str(uuid.uuid4()), "tenant_id": portal.tenant, "user_name": f"p{number}"}
                | {
                    "user_key": f"p{number}",
                    "name": f"p{number}",
                    "administrator": False,
                    "created_at": number,
                },
            )

    portal.database.write_and_wait(write)
    sessions = portal.assembly.deployment.home.sessions
    # One with many statements, one with a result of many cells, one with code as long as it may be.
    for number, statements in enumerate(
        (
            [(b'"1"', {"text/plain": "line\n" * 1_000})] * MANY,
            [(b'"1"', {"application/json": table(200_000)})],
            [(b'"%s"' % (b"c" * (32 << 20)), {"text/plain": "2"})],
        )
    ):
        folder = sessions / f"{number:032x}"
        folder.mkdir(parents=True)
        journal = Journal(folder / "journal")
        journal.open()
        for code, data in statements:
            said = {"status": "ok", "execution_count": 0, "data": data}
            journal.end(journal.accept("sql", code, 1), AVAILABLE, said, 2)
    output = portal.assembly.deployment.home.batches / f"{0:032x}" / "output.log"
    output.parent.mkdir(parents=True)
    with output.open("wb") as opened:
        for _ in range(208):
            opened.write((b"<" * 65_535 + b"\n") * 16)


def table(cells: int) -> dict[str, object]:
    fields = [{"name": "a", "type": "long", "nullable": True, "metadata": {}}]
    return {"schema": {"type": "struct", "fields": fields}, "data": [[1]] * cells}


@pytest.mark.long
async def test_much_of_everything(portal):
    ada = await portal.person()
    fill(portal)
    slow, statuses, large = {}, {}, {}
    for path in (
        "/portal/",
        "/portal/jobs",
        "/portal/jobs?from=9950",
        "/portal/jobs/0",
        "/portal/sessions?from=5000",
        "/portal/sessions/0",
        "/portal/sessions/1",
        "/portal/sessions/2",
        "/portal/applications",
        "/portal/applications?find=tractor&from=9000",
        "/portal/people?from=500",
        "/portal/instances",
        "/portal/subscriptions",
        "/portal/data/livy/batches?size=10000",
    ):

        async def ask(path: str = path) -> None:
            answer = await ada.open(path)
            statuses[path] = answer.status
            large[path] = len(answer.html)

        await ask()
        memory = PeakMemory()
        lag = await longest_lag(ask, attempts=6)
        if lag >= MOST_LAG or memory.more() >= MOST_MEMORY:
            slow[path] = round(lag, 3), memory.more() >> 20
    assert {path: status for path, status in statuses.items() if status != 200} == {}
    assert not slow
    del large["/portal/data/livy/batches?size=10000"]
    assert max(large.values()) < 3 << 20, large
    shown = await ada.open("/portal/applications?find=tractor&from=9000")
    assert "9001 to 9050 of 10000" in shown.text
    assert "The last 50 of 10000 statements" in (await ada.open("/portal/sessions/0")).text
    assert "And 199000 more rows" in (await ada.open("/portal/sessions/1")).text
    assert "The last statement is too long for this page" in (await ada.open("/portal/sessions/2")).text
