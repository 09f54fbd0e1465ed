import json
import os
from pathlib import Path

import click
import httpx
import pytest

from headland.cli.storage.addresses import Address, blob


@pytest.mark.parametrize(
    ("text", "path", "url"),
    [
        ("a.jar", "/storage/-/-/a.jar", "wasbs:///a.jar"),
        ("/jobs/a.jar", "/storage/-/-/jobs/a.jar", "wasbs:///jobs/a.jar"),
        ("wasbs:///jobs/a b%20ü.jar", "/storage/-/-/jobs/a%20b%2520%C3%BC.jar", "wasbs:///jobs/a b%20ü.jar"),
        ("wasbs://data@acct/x/y", "/storage/acct/data/x/y", "wasbs://data@acct/x/y"),
        ("wasbs://data@acct.blob.core.windows.net/x", "/storage/acct/data/x", "wasbs://data@acct/x"),
    ],
)
def test_addresses(text, path, url):
    address = blob(text)
    assert address.blob_path == path
    assert address.url == url
    assert blob(url) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "jobs/",
        "wasbs://",
        "wasbs:///",
        "wasbs://data@acct",
        "wasbs://data/x",
        "wasbs://@acct/x",
        "wasbs://data@/x",
        "https://x/y",
        "a/../b",
        "./a",
        "wasbs:///../other/x",
        "a#b",
        "a?b",
    ],
)
def test_what_names_no_blob(text):
    with pytest.raises(click.BadParameter):
        blob(text)


def test_a_container_is_an_address_of_its_own():
    assert Address.parse("wasbs://data@acct").container_path == "/storage/acct/data"


def test_upload(headland, stand_in):
    content = os.urandom(3_000_001)
    Path("a b.bin").write_bytes(content)
    assert headland("storage", "upload", "a b.bin").stdout == "wasbs:///a b.bin\n"
    assert headland("storage", "upload", "a b.bin", "jobs/").stdout == "wasbs:///jobs/a b.bin\n"
    assert headland("storage", "upload", "a b.bin", "wasbs://data@acct/x").stdout == "wasbs://data@acct/x\n"
    assert stand_in.blobs == {"a b.bin": content, "jobs/a b.bin": content, "x": content}
    assert stand_in.sent("PUT", "/storage/acct/data/x")
    assert headland("storage", "upload", "a b.bin", "-q").output == ""
    document = json.loads(headland("storage", "upload", "a b.bin", "--json").stdout)
    assert (document["path"], document["size"]) == ("a b.bin", len(content))


def test_upload_of_nothing_is_an_empty_blob(headland, stand_in):
    Path("empty").touch()
    assert headland("storage", "upload", "empty").exit_code == 0
    assert stand_in.blobs == {"empty": b""}


def test_upload_starts_again_with_a_new_token(headland, stand_in):
    Path("a").write_bytes(b"all of it")
    headland("storage", "ls")
    stand_in.revoked.update(stand_in.tokens)
    assert headland("storage", "upload", "a").exit_code == 0
    assert stand_in.blobs == {"a": b"all of it"}


def test_upload_shows_a_bar_on_a_terminal(headland):
    Path("a").write_bytes(b"x" * 5000)
    result = headland("storage", "upload", "a", FORCE_COLOR="1")
    assert "5.0/5.0 kB" in result.stderr
    assert result.stdout == "wasbs:///a\n"


@pytest.mark.parametrize("source", ["nowhere", "."])
def test_upload_of_what_is_no_file_is_2(headland, stand_in, source):
    assert headland("storage", "upload", source, "x").exit_code == 2
    assert not stand_in.requests


def test_download(headland, stand_in):
    content = os.urandom(3_000_001)
    stand_in.blobs["jobs/a b"] = content
    assert headland("storage", "download", "wasbs:///jobs/a b").stdout == "a b\n"
    assert Path("a b").read_bytes() == content
    Path("folder").mkdir()
    assert headland("storage", "download", "jobs/a b", "folder").stdout == "folder/a b\n"
    assert headland("storage", "download", "jobs/a b", "other", "--quiet").output == ""
    assert headland("storage", "download", "jobs/a b", "-").stdout_bytes == content
    assert Path("other").read_bytes() == Path("folder/a b").read_bytes() == content
    assert sorted(path.name for path in Path().rglob("*")) == ["a b", "a b", "folder", "other"]


def test_a_download_that_breaks_off_leaves_the_old_file(headland, stand_in):
    class Broken(httpx.SyncByteStream):
        def __iter__(self):
            yield b"new"
            raise httpx.RemoteProtocolError("peer closed connection")

    Path("a").write_bytes(b"old")
    stand_in.instead["GET", "/storage/-/-/a"] = [
        httpx.Response(200, headers={"content-length": "9"}, stream=Broken())
    ]
    result = headland("storage", "download", "a")
    assert result.exit_code == 6
    assert Path("a").read_bytes() == b"old"
    assert [path.name for path in Path().iterdir()] == ["a"]


def test_download_to_where_nothing_can_be_written(headland, stand_in):
    stand_in.blobs["a"] = b"x"
    result = headland("storage", "download", "a", "no/folder")
    assert result.exit_code == 1
    assert result.stderr.startswith("headland: no/folder can't be written (No such file or directory); ")


def test_a_downloaded_file_has_the_permissions_of_any_other(headland, stand_in):
    stand_in.blobs["a"] = b"x"
    Path("touched").touch()
    headland("storage", "download", "a")
    assert Path("a").stat().st_mode == Path("touched").stat().st_mode


def test_ls_reads_all_pages(headland, stand_in):
    stand_in.blobs = {f"jobs/{number:03}": b"x" * number for number in range(25)} | {"other": b""}
    stand_in.page = 10
    result = headland("storage", "ls", "jobs/")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["Modified", "(UTC)", "Size", "URL"]
    assert lines[1:] == [
        ["2028-11-20", "10:26:06", str(number), f"wasbs:///jobs/{number:03}"] for number in range(25)
    ]
    assert len(headland("storage", "ls").stdout.splitlines()) == 27
    document = json.loads(headland("storage", "ls", "wasbs:///jobs/01", "--json").stdout)
    assert [item["path"] for item in document["blobs"]] == [f"jobs/{number:03}" for number in range(10, 20)]
    assert document["nextMarker"] is None


def test_ls_of_another_container(headland, stand_in):
    headland("storage", "ls", "wasbs://data@acct/jobs/")
    assert stand_in.requests[-1].url.raw_path == b"/storage/acct/data?prefix=jobs%2F"
    stand_in.instead["GET", "/storage/acct/none"] = [httpx.Response(404, json={"msg": "no"})]
    result = headland("storage", "ls", "wasbs://none@acct/")
    assert result.exit_code == 4
    assert "there is no container 'none' in account 'acct'" in result.stderr


def test_rm(headland, stand_in):
    stand_in.blobs = {"a": b"", "b": b"", "c": b""}
    assert headland("storage", "rm", "a", "wasbs:///b").stdout == "Removed wasbs:///a.\nRemoved wasbs:///b.\n"
    assert headland("storage", "rm", "c", "-q").output == ""
    assert not stand_in.blobs


def test_one_that_is_not_there_is_4(headland):
    for command in ("rm", "download"):
        result = headland("storage", command, "nowhere")
        assert result.exit_code == 4
        assert result.stderr == (
            "headland: there is no blob wasbs:///nowhere; `headland storage ls` lists them\n"
        )
    assert not list(Path().iterdir())


def test_rm_of_nothing_is_2(headland):
    assert headland("storage", "rm").exit_code == 2
