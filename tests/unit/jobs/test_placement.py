"""Where a batch runs: what the settings allow, what a request may choose, and what can't be at all."""

import pytest

from headland.jobs.batches.errors import RejectedError
from headland.jobs.clusters.cluster import ClusterError, Clusters, check_clusters
from headland.jobs.clusters.java import Toolchain
from headland.settings import JobsSettings, SettingsError, load_settings
from headland.settings.home import Home

HEAD = "spark://head:7077"
JAR = {"file": "wasbs:///app.jar", "className": "demo.App"}
OPEN = {"blocked_conf": ()}


def placement(submission):
    return submission.master, submission.deploy_mode


class TestSettings:
    @pytest.mark.parametrize(
        ("master", "mode"),
        [
            ("local[*]", "client"),
            ("local", "client"),
            (HEAD, "client"),
            (HEAD, "cluster"),
            ("spark://one:7077,two:7077", "cluster"),
        ],
    )
    def test_what_goes_together(self, master, mode):
        check_clusters(JobsSettings(master=master, deploy_mode=mode))

    def test_a_local_master_has_no_cluster_mode(self):
        with pytest.raises(
            ClusterError, match=r"^jobs\.master is 'local\[\*\]': a local master has no cluster mode"
        ):
            check_clusters(JobsSettings(deploy_mode="cluster"))

    def test_a_master_of_no_kind_can_not_be_allowed(self):
        with pytest.raises(ClusterError, match=r"jobs\.allowed_masters: 'mesos://x' is not a master"):
            check_clusters(JobsSettings(allowed_masters=("local[2]", "mesos://x")))

    @pytest.mark.parametrize(
        "master",
        ["", "loca", "local[0]", "spark://", "spark://head", "spark://head:x", "spark://a:1,b", "http://a"],
    )
    def test_a_master_is_checked_when_settings_are_read(self, master, tmp_path):
        with pytest.raises(SettingsError, match=r"HEADLAND_JOBS_MASTER|jobs\.master"):
            load_settings(Home(tmp_path), {"HEADLAND_JOBS_MASTER": master})


class TestRequests:
    def test_it_is_the_settings_unless_they_say_otherwise(self, admit_body):
        assert placement(admit_body(JAR)) == ("local[*]", "client")
        assert placement(admit_body(JAR, master=HEAD, deploy_mode="cluster")) == (HEAD, "cluster")

    def test_a_master_that_is_not_allowed_gives_way(self, admit_body):
        admitted = admit_body({**JAR, "conf": {"spark.master": "local[64]"}}, allowed_masters=("local[6]",))
        assert placement(admitted) == ("local[*]", "client")
        assert admitted.conf == {}

    def test_a_master_that_is_allowed_is_taken(self, admit_body):
        admitted = admit_body({**JAR, "conf": {"spark.master": HEAD}}, allowed_masters=("local[2]", HEAD))
        assert placement(admitted) == (HEAD, "client")
        assert admitted.conf == {}

    def test_it_has_the_deployments_mode_where_it_has_that_mode(self, admit_body):
        chosen = {**JAR, "conf": {"spark.master": "local[2]"}}
        settings = {"master": HEAD, "deploy_mode": "cluster", "allowed_masters": ("local[2]",)}
        assert placement(admit_body(chosen, **settings)) == ("local[2]", "client")

    def test_a_blocked_master_is_refused_by_name(self, admit_body):
        with pytest.raises(RejectedError, match=r"session config: spark\.master$"):
            admit_body(
                {**JAR, "conf": {"spark.master": HEAD}},
                blocked_conf=("spark.master",),
                allowed_masters=(HEAD,),
            )

    def test_the_deploy_mode_is_blocked_unless_it_is_taken_out(self, admit_body):
        wanted = {**JAR, "conf": {"spark.submit.deployMode": "cluster"}}
        with pytest.raises(RejectedError, match=r"session config: spark\.submit\.deployMode$"):
            admit_body(wanted, master=HEAD)
        admitted = admit_body(wanted, master=HEAD, **OPEN)
        assert placement(admitted) == (HEAD, "cluster")
        assert admitted.conf == {}

    @pytest.mark.parametrize(
        ("mode", "text"),
        [("cluster", "a local master has no cluster mode"), ("Cluster", "'Cluster', not client or cluster")],
    )
    def test_a_deploy_mode_that_can_not_be_is_refused(self, admit_body, mode, text):
        with pytest.raises(RejectedError, match=text):
            admit_body({**JAR, "conf": {"spark.submit.deployMode": mode}}, **OPEN)

    def test_a_program_can_not_go_where_none_is_taken(self, admit_body):
        program = {"file": "wasbs:///app.py"}
        with pytest.raises(
            RejectedError, match="a standalone master takes no Python programs in cluster mode"
        ):
            admit_body(program, master=HEAD, deploy_mode="cluster")
        assert placement(admit_body(program, master=HEAD)) == (HEAD, "client")

    @pytest.mark.parametrize(
        ("pattern", "refused"),
        [
            ("spark.kubernetes.*", ["spark.kubernetes.namespace", "spark.kubernetes.x"]),
            ("spark.kubernetes.x", ["spark.kubernetes.x"]),
            ("spark.k*", ["spark.kubernetes.namespace", "spark.kubernetes.x"]),
            ("spark.kubernetes.x.*", []),
            ("spark.*.x", []),
        ],
    )
    def test_blocked_keys_by_their_beginning(self, admit_body, pattern, refused):
        body = {**JAR, "conf": {"spark.kubernetes.namespace": "a", "spark.kubernetes.x": "b", "spark.y": "c"}}
        if not refused:
            assert set(admit_body(body, blocked_conf=(pattern,)).conf) == set(body["conf"])
            return
        with pytest.raises(RejectedError, match=f"session config: {', '.join(refused)}$"):
            admit_body(body, blocked_conf=(pattern,))


class TestManagers:
    """Who is asked about a batch: whoever is the master that it was accepted for."""

    def clusters(self, **settings):
        return Clusters(JobsSettings(**settings), Toolchain.__new__(Toolchain))

    def test_nobody_where_the_driver_is_ours(self, admit_body):
        assert self.clusters().manager(admit_body(JAR)) is None
        assert self.clusters(master=HEAD).manager(admit_body(JAR, master=HEAD)) is None

    def test_one_for_each_master(self, admit_body):
        settings = {"master": HEAD, "deploy_mode": "cluster"}
        clusters = self.clusters(**settings)
        first, second = admit_body(JAR, **settings), admit_body({**JAR, "args": ["x"]}, **settings)
        assert clusters.manager(first) is clusters.manager(second) is not None

    def test_it_stays_when_the_settings_change(self, admit_body):
        admitted = admit_body(JAR, master=HEAD, deploy_mode="cluster")
        assert self.clusters().manager(admitted) is not None
