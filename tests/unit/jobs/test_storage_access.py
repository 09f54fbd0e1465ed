"""What a launch says of cluster storage: where it is, and how drivers and executors come by the file system."""

import base64
from pathlib import Path

import pytest

from headland.jobs.clusters.cluster import KINDS
from headland.jobs.clusters.filesystem import NotReadyError, StorageAccess, storage_conf
from headland.jobs.clusters.kind import Terms
from headland.jobs.clusters.startup import MadeFile
from headland.settings import AccountSettings, StorageSettings
from headland.storage import Storage

LOCAL, STANDALONE, YARN, KUBERNETES = KINDS


@pytest.fixture
def access(tmp_path: Path) -> StorageAccess:
    archive = MadeFile(tmp_path, "companion", "key", ".jar")
    (tmp_path / "made").write_bytes(b"jar")
    archive.adopt(tmp_path / "made")
    return StorageAccess(archive, {"spark.hadoop.a": "b"}, "wasbs://default@headland/")


def test_accounts_are_told_and_their_secrets_are_not(tmp_path: Path) -> None:
    accounts = {
        "fields": AccountSettings("file:///srv/fields"),
        "bucket": AccountSettings("s3://bucket", {"secret_access_key": "TOPSECRET"}),
    }
    ca = tmp_path / "ca.pem"
    ca.write_text("-----BEGIN CERTIFICATE-----\nAAEC\nAwQF\n-----END CERTIFICATE-----\n")
    conf = storage_conf(Storage(StorageSettings(accounts=accounts), tmp_path), "https://farm.example", ca)
    assert conf["spark.hadoop.fs.headland.folder.fields"] == "/srv/fields"
    assert conf["spark.hadoop.fs.headland.folder.headland"] == str(tmp_path / "headland")
    assert conf["spark.hadoop.fs.headland.service"] == "https://farm.example/storage"
    assert base64.b64decode(conf["spark.hadoop.fs.headland.service.authorities"]) == bytes(range(6))
    assert {key for key in conf if "bucket" in key} == set()
    assert "TOPSECRET" not in str(conf)
    for scheme in ("wasbs", "wasb", "abfs", "abfss"):
        assert conf[f"spark.hadoop.fs.{scheme}.impl"] == "headland.filesystem.ClusterFileSystem"


def test_a_driver_here_needs_no_more_than_its_class_path(access: StorageAccess) -> None:
    terms = access.added(Terms("local[*]", {"spark.hadoop.a": "c"}), LOCAL, "client", {})
    assert terms.defaults == {
        "spark.hadoop.a": "c",
        "spark.hadoop.fs.defaultFS": "wasbs://default@headland/",
    }
    assert terms.demands == {}


@pytest.mark.parametrize(("mode", "roles"), [("client", ["executor"]), ("cluster", ["driver", "executor"])])
def test_a_standalone_cluster_reads_the_archive_where_it_is(
    access: StorageAccess, mode: str, roles: list[str]
) -> None:
    own = {"spark.executor.extraClassPath": "/own.jar", "spark.plugins": "own.Plugin"}
    terms = access.added(Terms("spark://a:1", {}), STANDALONE, mode, own)
    paths = {key: value for key, value in terms.demands.items() if key.endswith("ClassPath")}
    assert sorted(paths) == [f"spark.{role}.extraClassPath" for role in roles]
    assert paths["spark.executor.extraClassPath"] == f"/own.jar:{access.path}"
    assert terms.demands["spark.plugins"] == "own.Plugin,headland.filesystem.TokenPlugin"


def test_yarn_brings_the_archive_and_says_itself_what_paths_mean(access: StorageAccess) -> None:
    terms = access.added(Terms("yarn", {}), YARN, "cluster", {"spark.yarn.dist.jars": "file:/own.jar"})
    assert terms.demands["spark.yarn.dist.jars"] == f"file:/own.jar,{access.path.as_uri()}"
    assert terms.demands["spark.driver.extraClassPath"] == f"{{{{PWD}}}}/{access.path.name}"
    assert "spark.hadoop.fs.defaultFS" not in terms.defaults


def test_an_application_waits_for_the_archive(access: StorageAccess) -> None:
    access.path.unlink()
    with pytest.raises(NotReadyError, match="is being made"):
        access.added(Terms("local[*]", {}), LOCAL, "client", {})
