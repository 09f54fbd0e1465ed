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


@pytest.mark.parametrize("source", ["nowhere", "pipe", "empty"])
def test_upload_of_what_is_no_file_is_2(headland, stand_in, source):
    os.mkfifo("pipe")
    Path("empty/folder").mkdir(parents=True)
    assert headland("storage", "upload", source, "x").exit_code == 2
    assert not stand_in.requests


#: What a folder may hold, and storage, too.
TREE = {
    "a b.txt": b"1",
    "Äcker/größe 100%.csv": b"2",
    "Äcker/..hidden": b"3",
    "deep/er/...": b"4",
    "n" * 255: b"5",
    "empty": b"",
}


def plant(folder: Path) -> None:
    for name, content in TREE.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (folder / "nothing in it").mkdir()


@pytest.mark.parametrize(
    ("target", "above"),
    [((), "farm/"), (("jobs",), "jobs/"), (("jobs/",), "jobs/"), (("wasbs:///",), "")],
)
def test_a_folder_there_and_back(headland, stand_in, target, above):
    plant(Path("farm"))
    there = headland("storage", "upload", "farm", *target)
    assert there.exit_code == 0, there.output
    assert stand_in.blobs == {above + name: content for name, content in TREE.items()}
    assert sorted(there.stdout.splitlines()) == sorted(f"wasbs:///{above}{name}" for name in TREE)
    for _ in range(2):  # Again, it is no other folder.
        back = headland("storage", "download", f"wasbs:///{above}", "back")
        assert back.exit_code == 0, back.output
        assert sorted(back.stdout.splitlines()) == sorted(f"back/{name}" for name in TREE)
        found = {str(file.relative_to("back")): file for file in Path("back").rglob("*") if file.is_file()}
        assert {name: file.read_bytes() for name, file in found.items()} == TREE


def test_a_folder_of_storage_goes_to_one_of_its_name(headland, stand_in):
    stand_in.blobs.update({"jobs/old/a": b"a", "jobs/older": b"no"})
    assert headland("storage", "download", "jobs/old").stdout == "old/a\n"
    assert headland("storage", "download", "wasbs://data@acct/jobs/old/", "-q").output == ""
    assert headland("storage", "download", "wasbs:///").exit_code == 2
    assert headland("storage", "download", "jobs/", "-").exit_code == 2
    assert headland("storage", "download", "jobs/ol").exit_code == 4
    assert headland("storage", "download", "nowhere/").exit_code == 4
    assert json.loads(headland("storage", "upload", "old", "--json").stdout)["blobs"][0]["path"] == "old/a"


def test_what_cannot_be_uploaded_is_told_and_the_rest_goes(headland, stand_in, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    Path("farm/sub").mkdir(parents=True)
    for name in ("a", "what?", "z"):
        Path("farm", name).write_bytes(name.encode())
    Path("farm/out").symlink_to(secret)
    Path("farm/sub/up").symlink_to("..")
    Path("farm/b").symlink_to("a")
    Path("farm/dangling").symlink_to("nowhere")
    os.mkfifo("farm/pipe")
    Path(os.fsdecode(b"farm/\xff")).touch()
    stand_in.instead["PUT", "/storage/-/-/farm/a"] = [httpx.Response(409, json={"message": "it is in use"})]
    result = headland("storage", "upload", "farm")
    assert result.exit_code == 1
    assert stand_in.blobs == {"farm/z": b"z", "farm/b": b"a"}
    *told, last = result.stderr.splitlines()
    assert last == "headland: 7 of 9 files were not copied; the same command tries them all again"
    for text in (
        "farm/out is a link",
        "farm/sub/up is a link",
        "farm/dangling is a link",
        "farm/pipe is not a file",
    ):
        assert any(text in line for line in told), text
    for text in ("farm/what? can't be copied: it has a '?'", "control character \\udcff", "it is in use"):
        assert any(text in line for line in told), text


def test_a_service_that_is_away_ends_a_folder_at_once(headland, stand_in):
    plant(Path("farm"))
    stand_in.instead["PUT", "/storage/-/-/farm/a%20b.txt"] = [httpx.ConnectError("refused")]
    result = headland("storage", "upload", "farm")
    assert (result.exit_code, len(result.stderr.splitlines())) == (6, 1)
    assert stand_in.blobs == {}


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/out", "a//b", "./a", "link/out", "back\\slash", "nul\0"]
)
def test_no_blob_leaves_the_folder_it_is_copied_to(headland, stand_in, tmp_path, name):
    outside = tmp_path / "outside"
    outside.mkdir()
    Path("back").mkdir()
    Path("back/link").symlink_to(outside)
    stand_in.blobs.update({"jobs/fine": b"fine", f"jobs/{name}": b"evil"})
    result = headland("storage", "download", "jobs/", "back")
    assert (result.exit_code, result.stdout) == (1, "back/fine\n")
    assert "1 of 2 files were not copied" in result.stderr
    assert not list(outside.iterdir())
    assert not (tmp_path / "out").exists()
    assert not Path("out").exists()
    assert sorted(file.name for file in Path("back").iterdir() if file.is_file()) == ["fine"]


def test_a_folder_of_which_one_file_breaks_off(headland, stand_in):
    class Broken(httpx.SyncByteStream):
        def __iter__(self):
            yield b"new"
            raise OSError(28, "No space left on device")

    stand_in.blobs.update({"jobs/a": b"new and more", "jobs/b": b"b", "jobs/c": b"file", "jobs/c/d": b"d"})
    stand_in.instead["GET", "/storage/-/-/jobs/a"] = [
        httpx.Response(200, headers={"content-length": "9"}, stream=Broken())
    ]
    Path("back").mkdir()
    Path("back/a").write_bytes(b"old")
    result = headland("storage", "download", "jobs/", "back")
    assert (result.exit_code, result.stdout.splitlines()) == (1, ["back/b", "back/c"])
    assert "back/a can't be written (No space left on device)" in result.stderr
    assert "back/c can't be made" in result.stderr
    assert {file.name: file.read_bytes() for file in Path("back").iterdir()} == {
        "a": b"old",
        "b": b"b",
        "c": b"file",
    }


def test_a_folder_shows_how_far_it_is_on_a_terminal(headland):
    plant(Path("farm"))
    assert "1/6" in headland("storage", "upload", "farm", FORCE_COLOR="1").stderr


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
