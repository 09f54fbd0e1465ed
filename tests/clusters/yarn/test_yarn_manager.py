"""What is asked of YARN, asked of a real one: Hadoop's mini cluster, with tiny applications."""

import getpass
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.clusters.yarn.conftest import MiniYarn
from tests.serving import eventually

from headland.jobs.clusters.manager import Application, ManagerUnreachableError, Phase
from headland.jobs.clusters.yarn import YarnManager
from headland.jobs.clusters.yarn_site import YarnSite

pytestmark = pytest.mark.timeout(600)


@dataclass
class Lives:
    """Three applications, seen through their lives by one who asks again and again."""

    seen: dict[str, list[Application]]
    lost: list[str]
    missed: list[str]


@pytest.fixture(scope="module")
def lives(mini_yarn: MiniYarn, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    """One that succeeds and one that fails; one that stays while the resource manager is stopped, then started
    again, and that is then killed.
    """
    mark = tmp_path_factory.mktemp("lives") / "mark"
    tags = {"good": ("succeed",), "bad": ("fail",), "killed": ("stay", str(mark))}
    manager = mini_yarn.manager()
    found = Lives({tag: [] for tag in tags}, [], [])

    def look(tag: str) -> Application | None:
        known = found.seen[tag]
        try:
            application = manager.find(tag, known[-1].handle if known else None)
        except ManagerUnreachableError as error:
            found.lost.append(str(error))
            return None
        if application is None:
            if known:
                found.missed.append(tag)
            return None
        if not known or application != known[-1]:
            known.append(application)
        return application

    def reach(tag: str, *phases: Phase) -> Application:
        return eventually(
            lambda: a if (a := look(tag)) is not None and a.phase in phases else None, f"{tag} in {phases}"
        )

    for tag, arguments in tags.items():
        mini_yarn.submit(tag, *arguments)
    try:
        reach("good", *Phase)
        reach("killed", Phase.RUNNING)
        eventually(mark.exists, "the word of the one that stays")
        mini_yarn.tell("stop")
        assert look("killed") is None
        mini_yarn.tell("start")
        for tag in tags:
            eventually(lambda tag=tag: look(tag), f"{tag} found again")
        reach("good", Phase.SUCCEEDED, Phase.FAILED, Phase.KILLED)
        reach("bad", Phase.SUCCEEDED, Phase.FAILED, Phase.KILLED)
        reach("killed", Phase.RUNNING)
        for tag in tags:
            manager.clear_away(tag)
        reach("killed", Phase.SUCCEEDED, Phase.FAILED, Phase.KILLED)
    finally:
        Path(f"{mark}.enough").touch()
    assert mark.read_text() == "run\n"
    return found


def test_a_tag_that_nobody_bears_is_found_nowhere(mini_yarn: MiniYarn):
    assert mini_yarn.manager().find("headland-nothing", None) is None


def test_an_id_that_nobody_has_is_found_nowhere(mini_yarn: MiniYarn):
    assert mini_yarn.manager().find("headland-nothing", "application_1_0001") is None


def test_a_success_waits_runs_and_succeeds(lives: Lives):
    phases = list(dict.fromkeys(application.phase for application in lives.seen["good"]))
    assert phases[-1] is Phase.SUCCEEDED
    assert set(phases) <= {Phase.WAITING, Phase.RUNNING, Phase.SUCCEEDED}


def test_an_exit_with_an_error_is_a_failure_with_its_reason(lives: Lives):
    last = lives.seen["bad"][-1]
    assert last.phase is Phase.FAILED
    assert "out of seed" in last.diagnostics


def test_what_was_killed_ends_killed_and_says_by_whom(lives: Lives):
    phases = list(dict.fromkeys(application.phase for application in lives.seen["killed"]))
    assert phases[-2:] == [Phase.RUNNING, Phase.KILLED]
    assert "killed" in lives.seen["killed"][-1].diagnostics


def test_a_resource_manager_that_is_away_is_waited_for_and_nothing_is_taken_for_gone(lives: Lives):
    assert lives.lost
    assert lives.missed == []


def test_an_application_is_known_by_all_that_yarn_tells(lives: Lives, mini_yarn: MiniYarn):
    last = lives.seen["good"][-1]
    assert last.handle == last.app_id
    assert last.handle.startswith("application_")
    assert last.user == getpass.getuser()
    assert last.host
    assert last.started_at < last.finished_at
    assert urlsplit(last.driver_log_url).path.startswith("/node/containerlogs/container_")
    assert urlsplit(last.spark_ui_url).port == urlsplit(mini_yarn.web).port


def test_to_kill_what_has_ended_changes_nothing(lives: Lives, mini_yarn: MiniYarn):
    last = lives.seen["good"][-1]
    mini_yarn.manager().kill(last)
    assert mini_yarn.manager().find("good", last.handle).phase is Phase.SUCCEEDED


def test_the_application_of_a_tag_is_found_without_its_id(lives: Lives, mini_yarn: MiniYarn):
    assert mini_yarn.manager().find("bad", None) == lives.seen["bad"][-1]


def whole_log(manager: YarnManager, application: Application) -> bytes | None:
    try:
        return b"".join(manager.driver_log(application))
    except ManagerUnreachableError:
        return None  # being aggregated


def test_the_drivers_log_is_read_once_it_is_aggregated(lives: Lives, mini_yarn: MiniYarn):
    log = eventually(lambda: whole_log(mini_yarn.manager(), lives.seen["good"][-1]), "the log")
    lines = log.decode().splitlines()
    assert lines[0] == "the drill is on the headland: succeed"
    assert "no spark flies" in lines
    assert not any(line.startswith(("LogType", "LogLength", "Container:")) for line in lines)


def test_the_log_server_is_asked_where_the_node_is_gone(lives: Lives, mini_yarn: MiniYarn):
    good = lives.seen["good"][-1]
    eventually(lambda: whole_log(mini_yarn.manager(), good), "the log")
    path = urlsplit(good.driver_log_url).path
    moved = Application(good.handle, good.phase, driver_log_url=f"http://127.0.0.1:9{path}")
    site = YarnSite.read(mini_yarn.conf_dir)
    manager = YarnManager(site.resource_managers, log_server=site.log_server)
    # The node may have told the log before it handed it over.
    log = eventually(lambda: whole_log(manager, moved), "the log, of the log server")
    assert b"on the headland: succeed\n" in log
    with pytest.raises(ManagerUnreachableError, match=r"127\.0\.0\.1:9"):
        list(mini_yarn.manager().driver_log(moved))


def test_a_driver_that_never_was_has_no_log(mini_yarn: MiniYarn):
    assert list(mini_yarn.manager().driver_log(Application("application_1_0001", Phase.FAILED))) == []


def test_a_dead_address_is_passed_over_for_the_active_one(mini_yarn: MiniYarn):
    manager = YarnManager(["http://127.0.0.1:9", mini_yarn.web], user="farmer")
    assert manager.find("headland-nothing", None) is None


def test_who_answers_but_is_no_resource_manager_counts_as_none(mini_yarn: MiniYarn):
    other = mini_yarn.log_server.removesuffix("/ws/v1/applicationhistory")
    with pytest.raises(ManagerUnreachableError):
        YarnManager([other]).find("headland-nothing", None)


def test_a_standby_is_passed_over_for_the_active_one(mini_yarn: MiniYarn):
    with mini_yarn.standby() as standby:
        assert YarnManager([standby, mini_yarn.web]).find("headland-nothing", None) is None
        with pytest.raises(ManagerUnreachableError, match="is STARTED, STANDBY"):
            YarnManager([standby]).find("headland-nothing", None)
