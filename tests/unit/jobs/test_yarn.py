"""YARN's words, files and frames. What it does is in tests/clusters/yarn."""

from pathlib import Path

import pytest

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import ClusterError, Clusters, check_clusters
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.manager import ManagerUnreachableError, Phase, UndecidedError
from headland.jobs.clusters.yarn import YARN, phase_of
from headland.jobs.clusters.yarn_logs import container_of, contents
from headland.jobs.clusters.yarn_site import YarnSite, YarnSiteError
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

KEY = "0123456789abcdef0123456789abcdef"
FRAME = (
    b"Container: container_1_0001_01_000001 on node:1\nLogAggregationType: LOCAL\n=====\nLogType:stdout\n"
    b"LogLastModifiedTime:Sat Nov 21 15:08:26 +0000 2026\nLogLength:%d\nLogContents:\n%s\n"
    b"End of LogType:stdout.\n*****\n\n"
)


@pytest.mark.parametrize(
    ("state", "final_status", "phase"),
    [
        ("NEW", "UNDEFINED", Phase.WAITING),
        ("NEW_SAVING", "UNDEFINED", Phase.WAITING),
        ("SUBMITTED", "UNDEFINED", Phase.WAITING),
        ("ACCEPTED", "UNDEFINED", Phase.WAITING),
        ("RUNNING", "UNDEFINED", Phase.RUNNING),
        ("RUNNING", "SUCCEEDED", Phase.RUNNING),
        ("RUNNING", "FAILED", Phase.RUNNING),
        ("FINISHED", "SUCCEEDED", Phase.SUCCEEDED),
        ("FINISHED", "FAILED", Phase.FAILED),
        ("FINISHED", "KILLED", Phase.KILLED),
        ("FINISHED", "UNDEFINED", Phase.FAILED),
        ("FAILED", "FAILED", Phase.FAILED),
        ("FAILED", "UNDEFINED", Phase.FAILED),
        ("KILLED", "KILLED", Phase.KILLED),
        ("KILLED", "UNDEFINED", Phase.KILLED),
        ("HIBERNATING", "UNDEFINED", Phase.RUNNING),
    ],
)
def test_phases(state: str, final_status: str, phase: Phase):
    assert phase_of(state, final_status) is phase


class TestLogs:
    @pytest.mark.parametrize(
        "log", [b"", b"word\n", b"no newline", b"\nLogLength:3\nLogContents:\nEnd of LogType:x\n"]
    )
    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_a_log_is_what_its_frame_says(self, log: bytes, size: int):
        framed = FRAME % (len(log), log)
        cut = [framed[start : start + size] for start in range(0, len(framed), size)]
        assert b"".join(contents(cut)) == log

    @pytest.mark.parametrize("said", [b"", b"Cannot find this log on the local disk.", b"x" * 40_000])
    def test_what_has_no_frame_is_no_log(self, said: bytes):
        with pytest.raises(ManagerUnreachableError, match="no container log"):
            list(contents([said]))

    def test_a_log_that_breaks_off_is_not_taken_for_whole(self):
        with pytest.raises(ManagerUnreachableError, match="lacks its last 4 bytes"):
            list(contents([(FRAME % (10, b"abcdefghij")).partition(b"ghij")[0]]))

    def test_the_log_of_an_end_is_read_when_its_writer_is_gone(self):
        foot = b"This log file belongs to a running container (container_1) and so may not be complete.\n"
        framed = (FRAME % (4, b"word")).replace(b"stdout.\n**", b"stdout." + foot + b"**")
        assert b"".join(contents([framed])) == b"word"
        with pytest.raises(UndecidedError, match="still running"):
            list(contents([framed], ended=True))
        # What the program writes is never taken for the foot.
        assert b"".join(contents([FRAME % (len(foot), foot)], ended=True)) == foot

    def test_where_a_container_is(self):
        url = "https://node-7:8044/node/containerlogs/container_e17_1_0001_01_000001/farm"
        assert container_of(url) == ("https://node-7:8044", "container_e17_1_0001_01_000001")
        assert container_of("") is None


class TestSite:
    @pytest.fixture
    def site(self, tmp_path: Path):
        def site(**conf: str) -> YarnSite:
            items = (
                f"<property><name>yarn.{key}</name><value> {value} </value></property>"
                for key, value in ((k.replace("__", "-").replace("_", "."), v) for k, v in conf.items())
            )
            (tmp_path / "yarn-site.xml").write_text(f"<configuration>{''.join(items)}</configuration>")
            return YarnSite.read(tmp_path)

        return site

    def test_one_by_its_host(self, site):
        assert site(resourcemanager_hostname="head") == YarnSite(("http://head:8088",), None)

    def test_one_by_its_address_and_the_log_server(self, site):
        found = site(
            host="head.example.org",
            resourcemanager_webapp_address="${yarn.host}:18088",
            log_server_web__service_url="http://logs:19888/ws/v1/history/",
        )
        assert found == YarnSite(("http://head.example.org:18088",), "http://logs:19888/ws/v1/history")

    def test_two_over_tls(self, site):
        found = site(
            http_policy="HTTPS_ONLY",
            resourcemanager_ha_enabled="true",
            resourcemanager_ha_rm__ids="one, two",
            resourcemanager_hostname_one="head",
            resourcemanager_webapp_https_address_two="spare:9000",
        )
        assert found.resource_managers == ("https://head:8090", "https://spare:9000")

    @pytest.mark.parametrize(
        "conf", [{}, {"resourcemanager_ha_enabled": "true"}, {"resourcemanager_webapp_address": ""}]
    )
    def test_one_that_names_none_is_refused(self, site, conf):
        with pytest.raises(YarnSiteError, match=r"yarn-site\.xml .*yarn\.resourcemanager"):
            site(**conf)

    def test_a_start_without_one_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ClusterError, match=r"jobs\.master is 'yarn'.*jobs\.hadoop_conf_dir"):
            check_clusters(JobsSettings(master="yarn", deploy_mode="cluster"))
        with pytest.raises(ClusterError, match=r"jobs\.master is 'yarn'.*No such file"):
            check_clusters(JobsSettings(master="yarn", deploy_mode="cluster", hadoop_conf_dir=str(tmp_path)))


class TestSubmission:
    @pytest.fixture
    def plan(self, tmp_path: Path):
        def plan(submission: Submission, **settings: object):
            tools = Toolchain(Path("/java/bin/java"), Path("/spark"))
            given = JobsSettings(master="yarn", hadoop_conf_dir="/etc/hadoop", **settings)
            directory = RunDirectory(tmp_path / KEY)
            launch = Clusters(given, tools).plan(submission, "batch-7", directory)
            (text,) = launch.files.values()
            return launch, [line.strip('"') for line in text.splitlines()]

        return plan

    def test_cluster_mode_is_tagged_not_waited_for_and_tried_once(self, plan):
        submission = Submission("/a.jar", "demo.App", conf={"spark.yarn.tags": "farm, field"}, queue="night")
        launch, arguments = plan(submission, deploy_mode="cluster")
        assert {
            f"spark.yarn.tags=farm,field,headland-{KEY}",
            "spark.yarn.submit.waitAppCompletion=false",
            "spark.yarn.maxAppAttempts=1",
            "spark.yarn.queue=night",
        } <= set(arguments)
        assert arguments[arguments.index("--deploy-mode") + 1] == "cluster"
        assert launch.environment["HADOOP_CONF_DIR"] == "/etc/hadoop"
        assert arguments[arguments.index("-cp") + 1].endswith(":/etc/hadoop")
        assert not {"PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "HADOOP_USER_NAME"} & launch.environment.keys()

    def test_who_asks_for_more_attempts_gets_them_and_no_more(self, plan):
        conf = {"spark.yarn.maxAppAttempts": "3", "spark.yarn.submit.waitAppCompletion": "true"}
        _, arguments = plan(Submission("/a.jar", "demo.App", conf=conf), deploy_mode="cluster")
        assert "spark.yarn.maxAppAttempts=3" in arguments
        assert "spark.yarn.submit.waitAppCompletion=false" in arguments

    def test_client_mode_has_its_driver_here(self, plan):
        launch, arguments = plan(Submission("/a.jar", "demo.App"), yarn_user="farm")
        assert any(argument.startswith("spark.eventLog.dir=file:///") for argument in arguments)
        assert arguments[arguments.index("-cp") + 1].endswith(":/etc/hadoop")
        assert launch.environment["HADOOP_USER_NAME"] == "farm"
        assert f"spark.yarn.tags=headland-{KEY}" in arguments

    def test_the_application_is_what_the_submitter_says(self):
        said = "26/11/21 15:03:04 INFO YarnClientImpl: Submitted application application_1795273375514_0001\n"
        assert YARN.handle.search(said)[1] == "application_1795273375514_0001"
