"""Spark's own pages: whose they are, which of them there are, and what is said where there are none."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from headland.jobs.spark_ui.errors import SameIdError
from headland.jobs.spark_ui.event_logs import event_logs, link
from headland.settings import JobsSettings

pytestmark = pytest.mark.anyio


async def with_log(service, name: str = "local-1") -> str:
    """The path of a batch that has an event log."""
    batch = await service.submit()
    events = service.directory(batch["id"]).events
    events.mkdir(parents=True)
    (events / name).write_text("")
    return f"/batches/{batch['id']}/spark"


async def test_a_batch_without_an_event_log_is_told_so(service):
    batch = await service.submit()
    answer = await service.get(f"/batches/{batch['id']}/spark")
    assert answer.status_code == 404
    assert "has written no event log for batch 0 on this node" in answer.json()["msg"]
    assert (await service.get("/batches/77/spark")).status_code == 404
    assert (await service.get("/sessions/77/spark")).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "history/local-2/jobs/",
        "api/v1/applications",
        "api/v1/applications/local-2/logs",
        "history/local-1/stages/stage/kill/",
        "history/local-1/../local-2/jobs",
        "static/%2e%2e/history/local-2/jobs",
        "live/jobs/",
        "home/",
    ],
)
async def test_nothing_is_reached_but_the_runs_own_pages(service, path):
    spark = await with_log(service)
    answer = await service.get(f"{spark}/{path}")
    assert answer.status_code == 404
    assert answer.json()["msg"] == "There is no such page of this application."
    assert not service.home.history.exists()


async def test_who_may_not_view_a_batch_does_not_see_its_pages(make_service):
    service = await make_service(jobs=JobsSettings(access_control=True))
    spark = await with_log(service)
    headers = {"authorization": f"Bearer {service.token(azp='somebody-else')}"}
    for path in (spark, f"{spark}/static/webui.js", f"{spark}/history/local-1/jobs/"):
        answer = await service.public.get(path, headers=headers)
        assert answer.status_code == 403
    assert not service.home.history.exists()


async def test_a_deployment_may_do_without(make_service):
    service = await make_service(jobs=JobsSettings(history_server=False))
    answer = await service.get(await with_log(service))
    assert (answer.status_code, "jobs.history_server" in answer.json()["msg"]) == (404, True)


async def test_java_that_is_not_there_is_told(make_service):
    service = await make_service(jobs=JobsSettings(java_home="/nowhere"))
    answer = await service.get(await with_log(service))
    assert answer.status_code == 503
    assert "jobs.java_home" in answer.json()["msg"]


async def test_a_drivers_own_ui_elsewhere_is_not_asked(service):
    spark = await with_log(service)
    for url in ("http://192.0.2.1:4040", "http://localhost.example:4040", "http://localhost"):
        service.change(0, app_info=f'{{"sparkUiUrl":"{url}"}}'.encode())
        assert (await service.get(f"{spark}/live/jobs/")).status_code == 404


class Driver(BaseHTTPRequestHandler):
    """A driver's own UI, as far as HTTP goes: it tells what it was asked, and sends on to another host."""

    def do_GET(self) -> None:
        told = json.dumps({"path": self.path, **{name.lower(): said for name, said in self.headers.items()}})
        self.send_response(302 if "executors" in self.path else 200)
        self.send_header("Location", "http://elsewhere.example/executors/?a=b")
        self.send_header("Set-Cookie", "driver=1")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(told.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def driver():
    """Its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Driver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


async def test_a_drivers_own_ui_gets_neither_cookie_nor_token_and_sends_nobody_elsewhere(service, driver):
    spark = await with_log(service)
    service.change(0, app_info=f'{{"sparkUiUrl":"{driver}"}}'.encode())
    assert (await service.get(spark)).headers["location"] == f"/livy{spark}/live/jobs/"
    headers = {**service.bearer(), "cookie": "a=b", "accept": "text/html"}
    answer = await service.public.get(f"{spark}/live/jobs/job%20/?id=0&id=%26", headers=headers)
    told = answer.json()
    assert told.pop("path") == "/jobs/job%20/?id=0&id=%26"
    assert (told.pop("x-forwarded-context"), told.pop("accept")) == (f"/livy{spark}/live", "text/html")
    assert told.keys() <= {"host", "accept-encoding"}
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    answer = await service.get(f"{spark}/live/executors/")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/livy{spark}/live/executors/?a=b")
    # What has ended has no UI: its port may be another's by now.
    service.change(0, finished_at=1, state="success")
    assert (await service.get(f"{spark}/live/jobs/")).status_code == 404


def test_logs_are_found_by_their_names_and_the_newest_last(tmp_path):
    names = ["local-2.inprogress", "eventlog_v2_app-1", "local-1.zstd", ".local-3.crc", "notes.txt"]
    for age, name in enumerate(names):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    assert [log.application for log in event_logs(tmp_path)] == ["local-1", "app-1", "local-2"]
    assert event_logs(tmp_path / "nowhere") == []


def test_a_link_follows_a_log_to_its_end_and_never_leads_to_another_runs(tmp_path):
    links, mine, other = (tmp_path / name for name in ("links", "mine", "other"))
    for folder in (links, mine, other):
        folder.mkdir()
    (mine / "local-1.inprogress").write_text("mine")
    (other / "local-1").write_text("other")
    link(links, event_logs(mine))
    link(links, event_logs(mine))
    (mine / "local-1.inprogress").rename(mine / "local-1")
    link(links, event_logs(mine))
    assert [(found.name, found.read_text()) for found in links.iterdir()] == [("local-1", "mine")]
    with pytest.raises(SameIdError, match="local-1"):
        link(links, event_logs(other))
    (mine / "local-1").unlink()
    link(links, event_logs(other))
    assert (links / "local-1").read_text() == "other"
