"""Azurite and s3rver, each on a port of its own, and ways to reach them that are none of Headland's.

They are npm packages: `npm ci --ignore-scripts` in this folder. Without them these tests are skipped, except
where `REQUIRE_PEERS=1` says that they must run.
"""

import base64
import hashlib
import hmac
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

import httpx
import pytest
from tests.clients.peers import is_missing
from tests.serving import PATIENCE

from headland.settings import AccountSettings, StorageSettings
from headland.storage import Storage

HERE = Path(__file__).parent

#: Azurite's own account and key, which its documentation gives.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def azurite() -> Iterator[str]:
    """Address of an Azurite that keeps its blobs in memory."""
    command = ["azurite-blob", "--blobPort", "0", "--inMemoryPersistence", "--extentMemoryLimit", "256"]
    with _peer(
        [*command, "--silent", "--disableTelemetry"], r"successfully listens on (http://\S+)"
    ) as address:
        yield address


@pytest.fixture(scope="session")
def s3_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where s3rver keeps objects: a file each."""
    return tmp_path_factory.mktemp("s3rver")


@pytest.fixture(scope="session")
def s3rver(s3_folder: Path) -> Iterator[str]:
    """Address of an s3rver with the bucket `fields`."""
    command = [
        "s3rver",
        "--directory",
        str(s3_folder),
        "--port",
        "0",
        "--silent",
        "--configure-bucket",
        "fields",
    ]
    with _peer(command, r"S3rver listening on (\S+)") as address:
        yield f"http://{address}"


class AzureRest:
    """Azure's REST API with a shared key, written out by hand.

    https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def __call__(self, method: str, path: str, query: str = "", body: bytes = b"") -> httpx.Response:
        target = quote(f"/{ACCOUNT}/{path}")
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
        if method == "PUT" and not query:
            headers["x-ms-blob-type"] = "BlockBlob"
        if body:
            headers["content-type"] = "application/octet-stream"
        lines = [method, "", "", str(len(body) or ""), "", headers.get("content-type", ""), *[""] * 6]
        lines += [f"{name}:{headers[name]}" for name in sorted(headers) if name.startswith("x-ms-")]
        lines += [f"/{ACCOUNT}{target}", *(f"{name}:{value}" for name, value in sorted(parse_qsl(query)))]
        signature = hmac.digest(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
        headers["authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(signature).decode()}"
        return httpx.request(
            method,
            f"{self._address}{target}" + (f"?{query}" if query else ""),
            headers=headers,
            content=body or None,
            timeout=PATIENCE,
        ).raise_for_status()


@pytest.fixture
def azure_rest(azurite: str) -> AzureRest:
    return AzureRest(azurite)


@pytest.fixture
def azure_container(azure_rest: AzureRest, request: pytest.FixtureRequest) -> str:
    """A container of the test's own, with three blobs that another client put there."""
    container = "c" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:20]
    azure_rest("PUT", container, "restype=container")
    for path, body in SEEDED.items():
        azure_rest("PUT", f"{container}/{path}", body=body)
    return container


@pytest.fixture
def s3_container(s3rver: str, request: pytest.FixtureRequest) -> str:
    """The same below a prefix of the bucket."""
    container = "c" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:20]
    for path, body in SEEDED.items():
        httpx.put(
            f"{s3rver}/fields/land/{container}/{quote(path)}", content=body, timeout=PATIENCE
        ).raise_for_status()
    return container


SEEDED = {"jars/app one.jar": b"one" * 1000, "jars/größe%41.jar": b"two", "readme": b"three"}


def azure_settings(address: str, **options: str) -> AccountSettings:
    endpoint = f"{address}/{ACCOUNT}"
    return AccountSettings(
        f"az://{ACCOUNT}", {"account_key": KEY, "endpoint": endpoint, "allow_http": "true", **options}
    )


def s3_settings(address: str, url: str = "s3://fields/land", **options: str) -> AccountSettings:
    credentials = {"access_key_id": "S3RVER", "secret_access_key": "S3RVER", "region": "us-east-1"}
    return AccountSettings(url, {**credentials, "endpoint": address, "allow_http": "true", **options})


@pytest.fixture
def storage(azurite: str, s3rver: str, tmp_path: Path) -> Storage:
    """Good accounts, and accounts each wrong in one way."""
    nowhere = "http://127.0.0.1:9"  # the discard port, on which nothing listens
    accounts = {
        "azure": azure_settings(azurite),
        "azuredown": azure_settings(nowhere),
        "azuredenied": azure_settings(azurite, account_key=base64.b64encode(b"TOPSECRET").decode()),
        "azureplain": azure_settings(azurite, allow_http="false"),
        "azuretypo": azure_settings(azurite, acount_key="TOPSECRET"),
        "azuresas": AccountSettings(
            f"az://{ACCOUNT}",
            {
                "sas_key": urlencode({"sv": "2020", "sig": "TOPSECRET"}),
                "endpoint": nowhere,
                "allow_http": "true",
            },
        ),
        "bucket": s3_settings(s3rver),
        "bucketdown": s3_settings(nowhere),
        "bucketdenied": s3_settings(s3rver, access_key_id="TOPSECRETID", secret_access_key="TOPSECRET"),
        "bucketmissing": s3_settings(s3rver, "s3://nowhere"),
    }
    return Storage(StorageSettings(accounts=accounts), tmp_path / "storage")


@pytest.fixture(params=["azure", "bucket"])
def remote(request: pytest.FixtureRequest) -> tuple[str, str]:
    """An account and a container in it, with the blobs of SEEDED."""
    container = request.getfixturevalue("azure_container" if request.param == "azure" else "s3_container")
    return request.param, container


@pytest.fixture
def fetch(azure_rest: AzureRest, s3rver: str):
    """What is stored, as another client sees it; None for nothing."""

    def fetch(account: str, container: str, path: str) -> bytes | None:
        try:
            if account == "azure":
                return azure_rest("GET", f"{container}/{path}").content
            return (
                httpx.get(f"{s3rver}/fields/land/{container}/{quote(path)}", timeout=PATIENCE)
                .raise_for_status()
                .content
            )
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 404:
                raise
            return None

    return fetch


@contextmanager
def _peer(command: list[str], listening: str) -> Iterator[str]:
    program = HERE / "node_modules/.bin" / command[0]
    if not program.exists() or shutil.which("node") is None:
        is_missing(f"{command[0]} is not installed: run `npm ci --ignore-scripts` in {HERE}")
    process = subprocess.Popen(
        [program, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(listening, line)
            if found:
                break
        else:
            pytest.fail(f"{command[0]} did not start:\n{said}")
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=20)
