"""Which paths a request may name: schemes, relative ones, local ones inside and outside of allowed folders."""

import os
from pathlib import Path

import pytest

from headland.jobs.batches.errors import RejectedError
from headland.jobs.batches.paths import PathRules, local_path, scheme_of
from headland.settings import JobsSettings


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    """An allowed folder with a file, a folder and links in it, and files beside it."""
    allowed = tmp_path / "allowed"
    (allowed / "deep").mkdir(parents=True)
    (allowed / "app.jar").write_bytes(b"zip")
    (allowed / "deep" / "lib.zip").write_bytes(b"zip")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    (tmp_path / "allowed-not").mkdir()
    (tmp_path / "allowed-not" / "app.jar").write_bytes(b"zip")
    (allowed / "inside.jar").symlink_to("deep/lib.zip")
    (allowed / "outside.jar").symlink_to("../secret.txt")
    (allowed / "outside").symlink_to(tmp_path / "allowed-not")
    (allowed / "loop").symlink_to("loop")
    os.mkfifo(allowed / "fifo")
    return allowed


@pytest.fixture
def rules(storage, allowed) -> PathRules:
    return PathRules.of(JobsSettings(local_folders=(str(allowed),)), storage)


@pytest.mark.parametrize(
    "path",
    [
        "wasbs:///app.jar",
        "wasbs:///a/b/c d".replace(" ", "%20"),
        "wasbs://data@headland/app.jar",
        "wasbs://data@headland.blob.core.windows.net/app.jar",
        "wasbs://data@elsewhere/app.jar",  # whether there is such an account is storage's to say
        "wasbs:///env.zip#env",
    ],
)
def test_cluster_storage_is_always_allowed(storage, path):
    PathRules.of(JobsSettings(), storage).check(path)


ALLOWED = "the setting jobs.url_schemes allows: wasbs."
REFUSED = {
    # Not absolute, with and without a scheme.
    "": "Path '' is not absolute.",
    "app.jar": "Path 'app.jar' is not absolute.",
    "./app.jar": "Path './app.jar' is not absolute.",
    "~/app.jar": "Path '~/app.jar' is not absolute.",
    "file:app.jar": "Path 'file:app.jar' is not absolute.",
    "file:": "Path 'file:' is not absolute.",
    # Local.
    "/etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "file:/etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "file:///etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "FILE:///etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "file://localhost/etc/passwd": "Local path /etc/passwd cannot be added to user sessions.",
    "file://host/etc/passwd": "Local path //host/etc/passwd cannot be added to user sessions.",
    # Other schemes.
    "http://host/app.jar": f"'http://host/app.jar' has the scheme 'http', which is not allowed here; {ALLOWED}",
    "hdfs:///app.jar": f"'hdfs:///app.jar' has the scheme 'hdfs', which is not allowed here; {ALLOWED}",
    "local:/app.jar": f"'local:/app.jar' has the scheme 'local', which is not allowed here; {ALLOWED}",
    "wasb:///app.jar": f"'wasb:///app.jar' has the scheme 'wasb', which is not allowed here; {ALLOWED}",
    "C:\\app.jar": f"'C:\\app.jar' has the scheme 'c', which is not allowed here; {ALLOWED}",
    # Cluster storage that is none.
    "wasbs:/app.jar": "wasbs:/app.jar: it does not begin with wasbs://",
    "wasbs:app.jar": "wasbs:app.jar: it does not begin with wasbs://",
    "WASBS:///app.jar": "WASBS:///app.jar: it does not begin with wasbs://",
    "wasbs:///": "wasbs://default@headland/: it names no path",
    "wasbs://headland/app.jar": "wasbs://headland/app.jar: it names no container",
    "wasbs:///../app.jar": "wasbs://default@headland/../app.jar: ",
    "wasbs:///a/../../app.jar": "wasbs://default@headland/a/../../app.jar: ",
    "wasbs:///a//app.jar": "wasbs://default@headland/a//app.jar: ",
    "wasbs:///app.jar?sig=secret": "wasbs:///app.jar?…: it has a query",
    # What would fall apart into several, or end early.
    "wasbs:///a b.jar": "'wasbs:///a b.jar' is not a URL: it has white space or control characters.",
    " wasbs:///a.jar": "' wasbs:///a.jar' is not a URL: it has white space or control characters.",
    "wasbs:///a.jar\n": "'wasbs:///a.jar\n' is not a URL: it has white space or control characters.",
    "wasbs:///a\u00a0b.jar": "'wasbs:///a\u00a0b.jar' is not a URL: it has white space or control characters.",
    "wasbs:///a\x01b.jar": "'wasbs:///a\x01b.jar' is not a URL: it has white space or control characters.",
    "wasbs:///a,b.jar": "'wasbs:///a,b.jar' has a comma, which for Spark is the end of a path.",
    "wasbs:///a.jar,/etc/passwd": "'wasbs:///a.jar,/etc/passwd' has a comma, which for Spark is the end of a path.",
}


@pytest.mark.parametrize(("path", "text"), REFUSED.items())
def test_other_paths_are_refused_by_default(storage, path, text):
    with pytest.raises(RejectedError) as refused:
        PathRules.of(JobsSettings(), storage).check(path)
    assert refused.value.message.startswith("Rejected, Reason: ")
    told = refused.value.message.removeprefix("Rejected, Reason: ").removeprefix("requirement failed: ")
    assert told.startswith(text)


@pytest.mark.parametrize(
    "path", ["x" * 100_000, "/" + "x" * 100_000, "x:" + "y" * 100_000, "wasbs:///" + "z" * 100_000]
)
def test_a_refusal_does_not_repeat_a_huge_path(storage, path):
    with pytest.raises(RejectedError) as refused:
        PathRules.of(JobsSettings(), storage).check(path)
    assert len(refused.value.message) < 1000


def test_a_local_path_is_told_where_to_go_instead(storage):
    with pytest.raises(RejectedError, match=r"Upload the file to cluster storage and name it as wasbs://"):
        PathRules.of(JobsSettings(), storage).check("/etc/passwd")


def test_a_refused_local_path_names_the_setting_that_would_allow_it(storage):
    with pytest.raises(RejectedError, match=r"the setting jobs\.local_folders has their folder"):
        PathRules.of(JobsSettings(), storage).check("/etc/passwd")


def test_further_schemes_are_allowed_by_setting_in_any_case(storage):
    rules = PathRules.of(JobsSettings(url_schemes=("wasbs", "https", "S3A")), storage)
    rules.check("https://host/app.jar?x=1")
    rules.check("HTTPS://host/app.jar")
    rules.check("s3a://bucket/app.jar")
    with pytest.raises(RejectedError, match=r"jobs\.url_schemes allows: https, s3a, wasbs"):
        rules.check("http://host/app.jar")
    with pytest.raises(RejectedError, match="has a comma"):
        rules.check("https://host/app.jar,file:/etc/passwd")


def test_cluster_storage_itself_can_be_taken_off_the_list(storage):
    with pytest.raises(RejectedError, match="has the scheme 'wasbs'"):
        PathRules.of(JobsSettings(url_schemes=("https",)), storage).check("wasbs:///app.jar")


@pytest.mark.parametrize(
    "form", ["{}", "file:{}", "file://{}", "file://localhost{}", "File://LocalHost{}", "{}#alias"]
)
@pytest.mark.parametrize("name", ["app.jar", "deep/lib.zip", "deep/../app.jar", "inside.jar"])
def test_files_below_an_allowed_folder_may_be_named(rules, allowed, form, name):
    rules.check(form.format(allowed / name))


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "deep/../../secret.txt",
        "outside.jar",
        "outside/app.jar",
        "../allowed-not/app.jar",
        "../../../../../../../../etc/passwd",
    ],
)
def test_what_leads_out_of_it_may_not(rules, allowed, name):
    with pytest.raises(RejectedError, match="cannot be added to user sessions"):
        rules.check(f"{allowed}/{name}")


@pytest.mark.parametrize(
    "name", ["file://host{}/app.jar", "file:/{}/app.jar", "/{}/app.jar", "file:////{}/app.jar"]
)
def test_another_host_may_not_be_named(rules, allowed, name):
    # Two slashes begin a host's name, or the root, by who reads them.
    with pytest.raises(RejectedError, match="cannot be added to user sessions"):
        rules.check(name.format(allowed))


@pytest.mark.parametrize(
    "name", ["missing.jar", "deep", "", "loop", "fifo", "app.jar/x", "n" * 300, "d/" * 3000, "%2e%2e"]
)
def test_what_is_not_a_file_is_refused(rules, allowed, name):
    with pytest.raises(RejectedError, match="is not a file"):
        rules.check(f"{allowed}/{name}")


def test_the_allowed_folder_may_itself_be_reached_by_a_link(storage, allowed, tmp_path):
    (tmp_path / "link").symlink_to(allowed)
    rules = PathRules.of(JobsSettings(local_folders=(str(tmp_path / "link"),)), storage)
    rules.check(str(allowed / "app.jar"))
    rules.check(str(tmp_path / "link" / "app.jar"))


def test_blobs_are_told_from_other_paths(rules):
    blob = rules.blob("wasbs:///jobs/env.zip#env")
    assert (blob.account, blob.container, blob.path, blob.fragment) == (
        "headland",
        "default",
        "jobs/env.zip",
        "env",
    )
    assert rules.blob("/jobs/env.zip") is None
    assert rules.blob("https://host/env.zip") is None


@pytest.mark.parametrize(
    ("path", "scheme", "local"),
    [
        ("/a", None, "/a"),
        ("a", None, "a"),
        ("a/b:c", None, "a/b:c"),
        ("file:/a", "file", "/a"),
        ("file:///a", "file", "/a"),
        ("FILE:///a", "file", "/a"),
        ("file://localhost/a", "file", "/a"),
        ("file://localhostile/a", "file", "//localhostile/a"),
        ("file://host/a", "file", "//host/a"),
        ("WASBS:///a", "wasbs", None),
        ("s3a+x.1-y://a", "s3a+x.1-y", None),
        ("1a:/b", None, "1a:/b"),
        (":a", None, ":a"),
    ],
)
def test_scheme_and_local_path(path, scheme, local):
    assert scheme_of(path) == scheme
    assert local_path(path) == local
