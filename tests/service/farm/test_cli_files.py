"""`headland farm export-files` and `import-files`, on the real service in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import Result
from tests.service.farm.conftest import PUBLIC_URL, Directory
from tests.service.farm.in_process import InProcess

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
        service.patch(f"meadow/{path}", json={}).raise_for_status()
    of_elm = {"resourceId": "elm", "resourceType": "Party"}
    for path, fields, data in (
        (MAP, of_elm, BYTES),
        (SEEN, {"insightId": "i-1"}, b"seen"),
        ("parties/elm/attachments/none", of_elm, None),
    ):
        parts: list[Any] = [(name, (None, text)) for name, text in fields.items()]
        parts += [("file", ("map.bin", data))] if data is not None else []
        service.patch(f"meadow/{path}", files=parts).raise_for_status()


@pytest.mark.usefixtures("filled")
def test_files_move_with_their_records(
    headland: Callable[..., Result], service: httpx.Client, tmp_path: Path
) -> None:
    records, folder = tmp_path / "records.ndjson", tmp_path / "taken"
    assert headland("farm", "export", "meadow", records).exit_code == 0
    done = headland("farm", "export-files", "meadow", folder)
    assert (done.exit_code, done.stdout) == (0, f"{folder}: 2 files\n"), done.output
    assert (folder / MAP / "file").read_bytes() == BYTES
    assert (folder / SEEN / "file").read_bytes() == b"seen"
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 2

    assert headland("farm", "import", "orchard", records, "--restore").exit_code == 0
    done = headland("farm", "import-files", "orchard", folder)
    assert (done.exit_code, done.stdout) == (0, f"{folder}: 2 files\n"), done.output
    assert service.get(f"orchard/{MAP}/file").content == BYTES
    assert service.get(f"orchard/{SEEN}/file").content == b"seen"
    assert service.get(f"orchard/{MAP}").json()["originalFileName"] == "map.bin"


@pytest.mark.usefixtures("filled")
def test_what_is_there_already_is_left(headland: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    headland("farm", "export-files", "meadow", folder, "--quiet")
    kept, cut = folder / MAP / "file", folder / SEEN / "file"
    before = kept.stat().st_ino
    cut.write_bytes(b"se")
    headland("farm", "export-files", "meadow", folder)
    assert kept.stat().st_ino == before
    assert cut.read_bytes() == b"seen"


def test_files_of_records_that_are_not_there(headland: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "taken" / MAP).mkdir(parents=True)
    (tmp_path / "taken" / MAP / "file").write_bytes(b"x")
    done = headland("farm", "import-files", "meadow", tmp_path / "taken")
    assert done.exit_code == 1
    assert done.stderr == f"headland: there is no resource {MAP}; import its record first\n"
