"""Tables: whole into a pipe, folded on a terminal, and ids and addresses whole on either."""

import io
import sys

import pytest

from headland.cli.output import print_table

GUID = "0b6f7a52-9d2e-4c47-8a53-7c0c9c8b4a11"
URL = f"wasbs://default@headland.blob.core.windows.net/jobs/{'harvest/' * 12}app.jar"
NAME = "The nightly harvest of all fields north of the river and of those along the road to the mill"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, out: io.StringIO) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", out)
    print_table(
        ["Id", "Name", "Owner", "URL"], [[7, NAME, GUID, URL], [8, "é 穂", GUID, "-"]], fold=("Name",)
    )
    return out.getvalue().splitlines()


def test_a_pipe_gets_a_line_a_row_with_nothing_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, io.StringIO())
    assert len(lines) == 3
    assert lines[1].startswith("7 ")
    for text in (NAME, GUID, URL):
        assert text in lines[1]
    assert lines[2].split() == ["8", "é", "穂", GUID, "-"]


def test_a_terminal_folds_names_and_keeps_ids_and_addresses_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, Terminal())
    assert len(lines) > 3
    assert GUID in lines[1]
    assert URL in lines[1]
    assert NAME not in "\n".join(lines)


def test_a_table_that_fits_a_terminal_is_no_wider(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", out)
    print_table(["Name", "Owner"], [[NAME, GUID]], fold=("Name",))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) > 2


def test_without_rows_there_is_a_head(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    print_table(["Name", "Owner"], [], fold=("Name",))
    assert out.getvalue().split() == ["Name", "Owner"]
