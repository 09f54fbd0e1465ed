"""Wheels made on the spot, an index of them in a folder, and environments built of them without the network."""

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any

from tests.serving import Served, eventually


def make_wheel(folder: Path, name: str, version: str, source: str, requires: tuple[str, ...] = ()) -> Path:
    """A pure wheel with one module, `name`, of `source`."""
    folder.mkdir(parents=True, exist_ok=True)
    information = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {other}\n" for other in requires)
    files = {
        f"{name}.py": source,
        f"{information}/METADATA": metadata,
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},{_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    files[f"{information}/RECORD"] = record + f"{information}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def index_of(folder: Path) -> dict[str, str]:
    """Variables by which the installer takes packages from `folder`, and from nowhere else."""
    return {"UV_DEFAULT_INDEX": folder.as_uri(), "UV_FIND_LINKS": str(folder)}


def make(served: Served, name: str, requirements: str) -> dict[str, Any]:
    """An environment, once its build has ended."""
    answer = served.public.post(
        "/livy/environments",
        json={"name": name, "requirements": requirements},
        headers={"X-Requested-By": "tests"},
    )
    assert answer.status_code in {200, 201}, answer.text
    return built(served, name)


def built(served: Served, name: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = served.public.get(f"/livy/environments/{name}").json()
        return None if found["state"] == "building" else found

    found: dict[str, Any] = eventually(look, f"environment {name} is built")
    return found


def _digest(text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
