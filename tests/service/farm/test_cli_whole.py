"""`headland farm export` and `import` of a whole instance, on the real service in this process."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import Result
from tests.service.farm.conftest import PUBLIC_URL, Clock, Directory
from tests.service.farm.in_process import InProcess

from headland.cli.farm.moving import FileOf, Files
from headland.farm import Files as Held

MAP = "parties/elm/attachments/map"
SEEN = "parties/elm/models/m1/resource-types/Party/resources/elm/insight-attachments/seen"
BYTES = bytes(range(256)) * 5000


@pytest.fixture
def service(transport: InProcess, token: Callable[..., str], directory: Directory) -> httpx.Client:
    directory.assign("admin", "admin", "orchard")
    return httpx.Client(
        transport=transport,
        base_url=f"{PUBLIC_URL}/farm",
        params={"api-version": "2022-11-01-preview"},
        headers={"authorization": f"Bearer {token()}"},
    )


@pytest.fixture
def filled(service: httpx.Client) -> None:
    """Two files, and an attachment without one."""
    base = SEEN.removesuffix("/insight-attachments/seen")
    for path in ("parties/elm", f"{base}/insights/i-1"):
        service.patch(f"meadow/{path}", json={"name": "a line\u2028or two"}).raise_for_status()
    of_elm = {"resourceId": "elm", "resourceType": "Party"}
    for path, fields, data in (
        (MAP, of_elm, BYTES),
        (SEEN, {"insightId": "i-1"}, b"seen"),
        ("parties/elm/attachments/none", of_elm, None),
    ):
        parts: list[Any] = [(name, (None, text)) for name, text in fields.items()]
        parts += [("file", ("map.bin", data))] if data is not None else []
        service.patch(f"meadow/{path}", files=parts).raise_for_status()


@pytest.fixture
def taken(filled: None, headland: Callable[..., Result], tmp_path: Path) -> Path:
    folder = tmp_path / "taken"
    done = headland("farm", "export", "meadow", folder)
    assert (done.exit_code, done.stdout) == (0, f"{folder}: 5 records, 2 files\n"), done.output
    return folder


def all_of(service: httpx.Client, instance: str) -> bytes:
    return service.get(f"{instance}/bulk").content


def test_a_whole_instance_goes_out_and_comes_back_as_it_was(
    headland: Callable[..., Result], service: httpx.Client, taken: Path, clock: Clock
) -> None:
    clock.now += 3600
    done = headland("farm", "import", "orchard", taken, "--restore", "--json")
    told = {"lines": 5, "created": 5, "updated": 0, "unchanged": 0, "refused": 0}
    files = {"sent": 2, "unchanged": 0, "refused": 0}
    assert json.loads(done.stdout) == told | {"files": files}, done.output
    assert all_of(service, "orchard") == all_of(service, "meadow")
    assert service.get(f"orchard/{MAP}/file").content == BYTES
    assert service.get(f"orchard/{SEEN}/file").content == b"seen"
    assert service.get("orchard/parties/elm/attachments/none/file").status_code == 404

    done = headland("farm", "import", "orchard", taken, "--restore")
    assert done.stdout == (
        "0 created, 0 updated, 5 unchanged, 0 refused.\nFiles: 0 sent, 2 unchanged, 0 refused.\n"
    )


def test_a_contributor_merges_it(
    headland: Callable[..., Result], service: httpx.Client, taken: Path, directory: Directory
) -> None:
    directory.assign("admin", "contributor", "orchard")
    assert headland("farm", "import", "orchard", taken, "--restore").exit_code == 5
    assert headland("farm", "import", "orchard", taken).exit_code == 0
    assert service.get(f"orchard/{MAP}/file").content == BYTES
    assert service.get(f"orchard/{MAP}").json()["originalFileName"] == "map.bin"


def test_the_folder_is_a_bag(taken: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "manifest-sha256.txt"], cwd=taken, check=True)
    listed = [line.split("  ")[1] for line in (taken / "manifest-sha256.txt").read_text().splitlines()]
    assert listed == [
        *(
            f"data/records/{name}.ndjson"
            for name in ("parties", "insights", "attachments", "insight-attachments")
        ),
        f"data/files/{MAP}/file",
        f"data/files/{SEEN}/file",
    ]
    payload = [path for path in (taken / "data").rglob("*") if path.is_file()]
    assert len(payload) == len(listed)
    size = sum(path.stat().st_size for path in payload)
    assert f"Payload-Oxum: {size}.{len(payload)}\n" in (taken / "bag-info.txt").read_text()
    assert (taken / "bagit.txt").read_text().startswith("BagIt-Version: 1.0\n")


def test_an_export_goes_on_with_what_is_there(
    headland: Callable[..., Result], service: httpx.Client, taken: Path
) -> None:
    kept, cut = taken / "data/files" / MAP / "file", taken / "data/files" / SEEN / "file"
    before = kept.stat().st_ino
    cut.write_bytes(b"se")
    (taken / "manifest-sha256.txt").unlink()
    assert "broken off" in headland("farm", "import", "orchard", taken).stderr
    assert headland("farm", "export", "meadow", taken).exit_code == 0
    assert (kept.stat().st_ino, cut.read_bytes()) == (before, b"seen")

    service.delete(f"meadow/{MAP}").raise_for_status()
    assert headland("farm", "export", "meadow", taken).stdout == f"{taken}: 4 records, 1 files\n"
    assert not kept.exists()


def test_what_is_missing_or_damaged_is_told_and_the_rest_comes(
    headland: Callable[..., Result], service: httpx.Client, taken: Path, tmp_path: Path
) -> None:
    (taken / "data/files" / MAP / "file").unlink()
    (taken / "data/files" / SEEN / "file").write_bytes(b"sean")
    done = headland("farm", "import", "orchard", taken)
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        f"{MAP}/file was not brought: it is missing",
        f"{SEEN}/file was not brought: it is damaged",
    ]
    assert done.stdout.endswith("Files: 0 sent, 0 unchanged, 2 refused.\n")
    report = tmp_path / "refused.ndjson"
    headland("farm", "import", "orchard", taken, "--refused", report)
    assert [json.loads(line) for line in report.read_text().splitlines()] == [
        {"file": f"data/files/{MAP}/file", "message": "it is missing"},
        {"file": f"data/files/{SEEN}/file", "message": "it is damaged"},
    ]
    records = taken / "data/records/parties.ndjson"
    records.write_bytes(records.read_bytes().replace(b"elm", b"oak"))
    done = headland("farm", "import", "orchard", taken)
    assert (done.exit_code, f"{records} is damaged" in done.stderr) == (2, True)
    assert service.get("orchard/parties/oak").status_code == 404


def test_a_refused_line_is_told_with_its_file(
    headland: Callable[..., Result], taken: Path, tmp_path: Path
) -> None:
    records, manifest = taken / "data/records/parties.ndjson", taken / "manifest-sha256.txt"
    before = hashlib.sha256(records.read_bytes()).hexdigest()
    records.write_bytes(b'{"family":"parties","document":{"id":"?"}}\n')
    after = hashlib.sha256(records.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text().replace(before, after))
    done = headland("farm", "import", "orchard", taken)
    assert done.exit_code == 1
    lines = done.stderr.splitlines()
    assert lines[0].startswith("parties.ndjson line 1 (parties): id: '?' is no id")
    # Nothing else has its party.
    assert lines[-1] == f"{SEEN}/file was not brought: its record is not there"


def test_a_file_that_changes_meanwhile_is_told(
    headland: Callable[..., Result],
    service: httpx.Client,
    filled: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetch = Files.fetch

    def deleted_before(self: Files, file: FileOf, target: Path) -> None:
        service.delete(f"meadow/{SEEN}").raise_for_status()
        fetch(self, file, target)

    monkeypatch.setattr(Files, "fetch", deleted_before)
    done = headland("farm", "export", "meadow", tmp_path / "taken")
    assert done.exit_code == 1
    assert done.stderr == f"{SEEN}/file was not taken: it was deleted meanwhile\n"


def test_folders_that_are_no_exports(
    headland: Callable[..., Result], taken: Path, tmp_path: Path, filled: None
) -> None:
    assert headland("farm", "export", "meadow", tmp_path).exit_code == 2
    assert headland("farm", "import", "meadow", tmp_path).exit_code == 2
    for option in (["--create"], ["--from-line", "2"], ["--family", "farms"]):
        assert headland("farm", "import", "meadow", taken, *option).exit_code == 2
    manifest = taken / "manifest-sha256.txt"
    manifest.write_text(f"{'0' * 64}  data/records/../../../etc/passwd\n")
    assert "is no place in" in headland("farm", "import", "meadow", taken).stderr
    manifest.write_text("what?\n")
    assert "line 1 of" in headland("farm", "import", "meadow", taken).stderr


def test_a_file_that_is_refused_is_told_and_the_rest_comes(
    headland: Callable[..., Result], service: httpx.Client, taken: Path, files: Held
) -> None:
    files.largest = 100
    done = headland("farm", "import", "orchard", taken, "--restore")
    assert (done.exit_code, done.stderr.startswith(f"{MAP}/file was not brought: refused with 413")) == (
        1,
        True,
    )
    assert service.get(f"orchard/{SEEN}/file").content == b"seen"
