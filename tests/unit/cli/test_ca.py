"""`headland ca`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from headland.cli.exit_codes import ExitCode
from headland.cli.main import cli


def test_prints_the_certificate_of_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLAND_HOME", str(tmp_path))
    certificate = tmp_path / "tls" / "ca.pem"
    certificate.parent.mkdir()
    certificate.write_text("PEM")
    done = CliRunner().invoke(cli, ["ca"])
    assert (done.exit_code, done.stdout) == (ExitCode.OK, f"{certificate}\n")


def test_says_so_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLAND_HOME", str(tmp_path))
    done = CliRunner().invoke(cli, ["ca"])
    assert done.exit_code == ExitCode.NOT_FOUND
    assert str(tmp_path) in done.stderr
    assert done.stdout == ""
