"""A batch's log, state and progress over HTTP."""

import msgspec
import pytest

pytestmark = pytest.mark.anyio


async def test_a_batch_that_waits_has_no_line(service):
    await service.submit()
    answer = await service.get("/batches/0/log")
    assert answer.text == '{"id":0,"from":0,"total":0,"log":[]}'
    assert (await service.get("/batches/0/state")).text == '{"id":0,"state":"starting"}'


#: Query → `from` and number of lines, of 202 lines.
PAGES = {
    "": (102, 100),
    "size=10": (192, 10),
    "from=0": (0, 100),
    "from=0&size=100": (0, 100),
    "from=100&size=100": (100, 100),
    "from=200&size=100": (200, 2),
    "from=202": (202, 0),
    "from=500": (500, 0),
    "size=0": (202, 0),
    "from=-5&size=3": (199, 3),
    "size=-1": (0, 202),
    "from=5&size=-1": (5, 197),
    "from=7&size=1": (7, 1),
}


async def test_pages(service):
    await service.submit()
    written = [f"line {number}" for number in range(201)]
    service.run(0, "".join(line + "\n" for line in written).encode())
    lines = ["stdout: ", *written]
    for query, (start, count) in PAGES.items():
        found = (await service.get(f"/batches/0/log?{query}")).json()
        assert list(found) == ["id", "from", "total", "log"]
        assert (found["id"], found["from"], found["total"]) == (0, start, 202), query
        assert found["log"] == lines[start : start + count], query
        assert len(found["log"]) == count, query


async def test_a_client_that_follows_gets_each_line_once(service):
    """As Airflow's provider does: page after page while `from` is not past `total`."""
    await service.submit()
    service.run(0)
    seen: list[str] = []

    async def follow() -> None:
        while following := (await service.get(f"/batches/0/log?from={len(seen)}&size=7")).json()["log"]:
            seen.extend(following)

    written = []
    for turn in range(5):
        lines = [f"{turn}.{number}" for number in range(turn * 4)]
        service.write(0, "".join(line + "\n" for line in lines).encode())
        written += lines
        await follow()
    service.end(0, b"the end", exit_code=0)
    await follow()
    assert seen[: len(written) + 2] == ["stdout: ", *written, "the end"]
    assert seen[len(written) + 2] == "\nstderr: "
    assert len(seen) == (await service.get("/batches/0/log")).json()["total"]


async def test_output_that_is_no_text_is_shown_as_well_as_can_be(service):
    await service.submit()
    service.run(0, b"caf\xc3\xa9 \xff\xfe\r\n\0\n")
    assert (await service.get("/batches/0/log")).json()["log"] == ["stdout: ", "café \ufffd\ufffd\r", "\0"]


async def test_progress(service):
    await service.submit()
    empty = '{"id":0,"state":"starting","tasks":0,"completed":0,"failed":0,"active":0,"stages":[]}'
    assert (await service.get("/batches/0/progress")).text == empty
    service.run(0)
    events = service.directory(0).events
    events.mkdir()
    lines = [
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 0,
            "Stage Infos": [{"Stage ID": 0, "Stage Name": "count", "Number of Tasks": 4}],
        },
        {"Event": "SparkListenerStageSubmitted", "Stage Info": {"Stage ID": 0}},
        {"Event": "SparkListenerTaskStart", "Stage ID": 0},
        {"Event": "SparkListenerTaskStart", "Stage ID": 0},
        {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Task End Reason": {"Reason": "Success"}},
    ]
    (events / "local-1.inprogress").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    for _ in range(2):
        assert (await service.get("/batches/0/progress")).json() == {
            "id": 0,
            "state": "running",
            "tasks": 4,
            "completed": 1,
            "failed": 0,
            "active": 1,
            "stages": [
                {
                    "id": 0,
                    "attempt": 0,
                    "name": "count",
                    "state": "running",
                    "tasks": 4,
                    "completed": 1,
                    "failed": 0,
                    "active": 1,
                }
            ],
        }


async def test_a_page_of_very_many_lines_is_the_same_json(service):
    await service.submit()
    written = [f'line "{number}" ü' for number in range(5000)]
    service.run(0, "".join(line + "\n" for line in written).encode())
    answer = await service.get("/batches/0/log?size=-1")
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.json() == {"id": 0, "from": 0, "total": 5001, "log": ["stdout: ", *written]}


async def test_a_log_as_text(service):
    await service.submit()
    service.run(0, "one\nzwölf\n".encode())
    headers = {**service.bearer(), "accept": "Text/Plain; q=1"}
    answer = await service.public.get("/batches/0/log?from=1&size=-1", headers=headers)
    assert (answer.status_code, answer.text) == (200, "one\nzwölf\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    # As axios asks by itself.
    headers["accept"] = "application/json, text/plain, */*"
    assert (await service.public.get("/batches/0/log", headers=headers)).json()["total"] == 3


async def follow(service, path="/batches/0/log", **headers):
    accept = {**service.bearer(), "accept": "text/event-stream", **headers}
    return await service.public.get(path, headers=accept)


def data_of(text: str) -> list[str]:
    return [block.split("data: ", 1)[1] for block in text.split("\n\n")[:-1] if "event:" not in block]


async def test_an_ended_batchs_log_as_events(service):
    await service.submit()
    service.end(0, b"one\ntwo\n")
    answer = await follow(service)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.startswith(
        "id: 0\ndata: stdout: \n\nid: 4\ndata: one\n\nid: 8\ndata: two\n\nid: 8+1\n"
    )
    assert answer.text.endswith("event: end\ndata: success\n\n")


@pytest.mark.parametrize(
    ("path", "headers", "first"),
    [
        ("/batches/0/log?from=2", {}, "two"),
        ("/batches/0/log", {"last-event-id": "4"}, "two"),
        ("/batches/0/log?from=0", {"last-event-id": "0"}, "one"),
    ],
)
async def test_events_from_a_place_on(service, path, headers, first):
    await service.submit()
    service.end(0, b"one\ntwo\n")
    assert data_of((await follow(service, path, **headers)).text)[0] == first


@pytest.mark.parametrize("event", ["x", "-1", "+1", "1.5"])
async def test_an_event_id_that_there_is_not(service, event):
    await service.submit()
    service.end(0, b"one\n")
    answer = await follow(service, **{"last-event-id": event})
    assert (answer.status_code, answer.json()) == (400, {"msg": f'For input string: "{event}"'})


async def test_events_of_a_batch_that_there_is_not(service):
    assert (await follow(service)).status_code == 404
