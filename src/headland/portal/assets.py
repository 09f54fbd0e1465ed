"""Scripts and styles: our own, which come with the code, and those of npm's packages, which a build brings.

Each has its digest in its address, so that browsers keep it for good. Without the build the pages work all the same,
and say what is missing.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.http.operations import Operation

_HERE = Path(__file__).parent
OWN = _HERE / "assets"
#: What `make assets` fills.
BUILT = _HERE / "built"

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file that browsers fetch."""

    name: str
    content: bytes

    @cached_property
    def address(self) -> str:
        return f"/portal/assets/{hashlib.sha256(self.content).hexdigest()[:16]}/{self.name}"


class Assets:
    """All of them, read once."""

    def __init__(self, *folders: Path) -> None:
        files = [file for folder in folders or (OWN, BUILT) if folder.is_dir() for file in folder.iterdir()]
        self._assets = {
            file.name: Asset(file.name, file.read_bytes()) for file in sorted(files) if file.suffix in _TYPES
        }
        self._by_address = {asset.address: asset for asset in self._assets.values()}

    def __contains__(self, name: str) -> bool:
        return name in self._assets

    def address(self, name: str) -> str | None:
        """Where a browser finds it; None where there is none such."""
        asset = self._assets.get(name)
        return asset.address if asset is not None else None

    def operation(self) -> Operation:
        async def read_asset(request: Request) -> Response:
            asset = self._by_address.get(request.url.path)
            if asset is None:
                raise HTTPException(404)
            kind = _TYPES[Path(asset.name).suffix]
            return Response(
                asset.content, 200, {"cache-control": "public, max-age=31536000, immutable"}, media_type=kind
            )

        return Operation(
            "GET", "/assets/{digest}/{name}", read_asset, "A style or script.", {}, guarded=False
        )
