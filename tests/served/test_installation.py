"""`make` sets up behind a company's own authority, by which the package index is signed and the system trusts it."""

import base64
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tests.company import company_server

ROOT = Path(__file__).parents[2]

#: Builds nothing but an empty package, with the standard library alone.
BACKEND = """
import base64, hashlib, pathlib, zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "tried-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr("tried-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tried\\nVersion: 1.0\\n")
        wheel.writestr("tried-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("tried-1.0.dist-info/RECORD", "")
    return name
"""


def _wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> str:
    """Its line among requirements."""
    about = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
        for path, content in files.items()
    )
    wheel = folder / name / f"{name}-{version}-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in {**files, f"{about}/RECORD": f"{record}{about}/RECORD,,\n".encode()}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, content)
    (wheel.parent / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.fixture
def company(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of its index, which has the wheels of `project`, and its authority's certificate."""
    (tmp_path / "simple").mkdir()
    with company_server(tmp_path) as company:
        yield f"{company.url}/simple/", company.authority


@pytest.fixture
def project(tmp_path: Path, company: tuple[str, Path]) -> Path:
    """A small project with this one's Makefile and what this one tells uv; of its pins, uv is the real one."""
    folder = tmp_path / "project"
    for each in ("requirements", "src"):
        (folder / each).mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", folder)
    uv = distribution("uv")
    files = {
        str(file): file.locate().read_bytes()
        for file in uv.files or ()
        if file.parts[0] == "uv" and file.suffix == ".py"
    }
    program = ROOT / ".venv/bin/uv"
    files[f"uv-{uv.version}.data/scripts/uv"] = program.read_bytes()
    served = tmp_path / "simple"
    (folder / "requirements/uv.txt").write_text(_wheel(served, "uv", uv.version, files))
    (folder / "requirements/dev.txt").write_text(
        _wheel(served, "meadow", "1.0", {"meadow.py": b"GREEN = True\n"})
    )
    (folder / "requirements/build.txt").touch()
    (folder / "backend.py").write_text(BACKEND)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"].get("uv", {})
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "tried"\nversion = "1.0"\n'
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[tool.uv]\n'
        + "".join(f"{name} = {str(value).lower()}\n" for name, value in told.items())
    )
    return folder


def _set_up(project: Path, index: str, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    told = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent),
        "LC_ALL": "C.UTF-8",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index,
        "PIP_RETRIES": "0",
        "UV_DEFAULT_INDEX": index,
        "UV_HTTP_RETRIES": "0",
        "UV_CACHE_DIR": str(project.parent / "cache"),
        **environment,
    }
    command = [*before, "make", "-C", str(project), f"PYTHON={sys.executable}", ".venv/.installed"]
    return subprocess.run(command, env=told, capture_output=True, text=True, check=False)


def _is_set_up(project: Path) -> bool:
    told = subprocess.run(
        [project / ".venv/bin/python", "-c", "import meadow; print(meadow.GREEN)"],
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout == "True\n"


@pytest.mark.long
def test_an_authority_that_the_environment_names(project: Path, company: tuple[str, Path]) -> None:
    index, authority = company
    assert _set_up(project, index).returncode != 0  # Of an authority that nobody has named, nothing is taken.
    done = _set_up(project, index, SSL_CERT_FILE=str(authority))
    assert done.returncode == 0, done.stdout + done.stderr
    assert _is_set_up(project)


def test_an_authority_that_the_system_trusts(project: Path, company: tuple[str, Path]) -> None:
    index, authority = company
    bundle = ssl.get_default_verify_paths().openssl_cafile
    bundle = next(
        (file for file in (bundle, "/etc/ssl/certs/ca-certificates.crt") if Path(file).exists()), None
    )
    # In a view of the files of its own, what the system trusts is this authority.
    view = [
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        'mount --bind "$1" "$2" && shift 2 && exec "$@"',
        "sh",
    ]
    if bundle is None or shutil.which("unshare") is None:
        pytest.skip("there is no file of what this system trusts, or no unshare")
    view += [str(authority), str(Path(bundle).resolve())]
    if subprocess.run([*view, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody have a view of its files")
    done = _set_up(project, index, *view)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _is_set_up(project)
