"""A client's program, run to its end in its own environment, trusting the local CA by that environment alone."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.clients.peers import is_missing
from tests.serving import PATIENCE, Served

HERE = Path(__file__).parent
PYTHON = HERE / ".environments/azure/bin/python"
INSTALLED = HERE / ".environments/azure/installed.txt"
GO = HERE / ".environments/go/client"
MODULES = HERE / "javascript/node_modules/@azure/identity"


def run_python(served: Served, case: str, arguments: Mapping[str, Any], **environment: str) -> Any:
    """What `drivers/python_clients.py` answers."""
    if not PYTHON.exists() or INSTALLED.read_text() != (HERE / "azure.txt").read_text():
        is_missing("azure-identity is not installed as it is pinned: run `make clients`")
    command = [str(PYTHON), str(HERE / "drivers/python_clients.py"), case]
    return _answer(command, arguments, {"REQUESTS_CA_BUNDLE": str(served.ca), **environment})


def run_javascript(served: Served, case: str, arguments: Mapping[str, Any], **environment: str) -> Any:
    """What `javascript/clients.mjs` answers."""
    node = shutil.which("node")
    if node is None or not MODULES.exists():
        is_missing("@azure/identity is not installed: run `make clients`")
    command = [node, str(HERE / "javascript/clients.mjs"), case]
    return _answer(command, arguments, {"NODE_EXTRA_CA_CERTS": str(served.ca), **environment})


def run_go(served: Served, case: str, arguments: Mapping[str, Any], **environment: str) -> Any:
    """What `go/main.go` answers."""
    if not GO.exists():
        is_missing("azidentity for Go is not installed: run `make clients`")
    return _answer([str(GO), case], arguments, {"SSL_CERT_FILE": str(served.ca), **environment})


def run_curl(served: Served, *arguments: str) -> str:
    """What curl prints."""
    if shutil.which("curl") is None:
        is_missing("curl is not installed")
    command = ["curl", "--silent", "--show-error", *arguments]
    return _run(command, "", {"CURL_CA_BUNDLE": str(served.ca)})


def _answer(command: list[str], arguments: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    return json.loads(_run(command, json.dumps(arguments), environment).splitlines()[-1])


def _run(command: list[str], sent: str, environment: Mapping[str, str]) -> str:
    # Nothing of this machine's own credentials, proxies or certificates: only what the test says.
    kept = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(HERE / ".environments")}
    ended = subprocess.run(
        command,
        input=sent,
        env=kept | dict(environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-6000:]
    return ended.stdout
