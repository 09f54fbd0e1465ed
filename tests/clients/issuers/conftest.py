"""An OpenID Connect provider of somebody else's, in a process of its own.

It is an npm package: `npm ci --ignore-scripts` in this folder. Without it its tests are skipped, except where
`CI=true` and `REQUIRE_PEERS=1` say that they must run.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import ECKey, RSAKey
from tests.clients.peers import is_missing
from tests.serving import free_port

HERE = Path(__file__).parent


class Provider:
    """One that can be stopped, and started anew at the same address with other keys."""

    def __init__(self, folder: Path) -> None:
        """Skips the test where it is not installed."""
        if shutil.which("node") is None or not (HERE / "node_modules/oidc-provider").exists():
            is_missing(f"oidc-provider is not installed: run `npm ci --ignore-scripts` in {HERE}")
        self.port = free_port()
        self.issuer = f"http://localhost:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None

    def start(self, algorithm: str, *keys: dict[str, Any]) -> None:
        """Sign with the first of `keys` that is made for `algorithm`."""
        file = self._folder / "keys.json"
        file.write_text(json.dumps({"keys": keys}))
        self._process = subprocess.Popen(
            ["node", "provider.mjs", str(self.port), str(file), algorithm],
            cwd=HERE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = ""
        for line in self._process.stdout or ():
            said += line
            if "listening" in line:
                return
        pytest.fail(f"the provider did not start:\n{said}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=20)
            self._process = None

    def token(self, resource: str = "api://headland") -> str:
        answer = httpx.post(
            f"{self.issuer}/token",
            data={"grant_type": "client_credentials", "resource": resource},
            auth=("tractor", "tractor-secret"),
        )
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])


def rsa_key(kid: str, algorithm: str = "RS256") -> dict[str, Any]:
    return {**RSAKey.generate_key(2048).as_dict(private=True), "kid": kid, "use": "sig", "alg": algorithm}


def ec_key(kid: str) -> dict[str, Any]:
    return {**ECKey.generate_key("P-256").as_dict(private=True), "kid": kid, "use": "sig", "alg": "ES256"}


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    made = Provider(tmp_path)
    yield made
    made.stop()
