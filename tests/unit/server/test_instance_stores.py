import pytest

from headland.server.instance_stores import FolderStores


def test_both_can_be_repeated(tmp_path):
    stores = FolderStores(tmp_path / "farm")
    for _ in range(2):
        stores.lay_out("one")
    stores.lay_out("other")
    (tmp_path / "farm" / "one" / "file").write_text("x")
    for _ in range(2):
        stores.remove("one")
    assert [path.name for path in (tmp_path / "farm").iterdir()] == ["other"]


def test_what_is_in_the_way_is_told(tmp_path):
    (tmp_path / "farm").write_text("")
    with pytest.raises(OSError, match="farm"):
        FolderStores(tmp_path / "farm").lay_out("one")
