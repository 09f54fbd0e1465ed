"""Files of any size go through a served instance without its memory growing with them (Linux)."""

import hashlib
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.faults.machine import children
from tests.instances import ADMIN, Provisioned, provision
from tests.serving import PATIENCE, Served

SIZE = 100 << 20

#: What the processes may take more at their peak, in bytes: some chunks of a file, and of its way through TLS.
MOST_MORE = 32 << 20


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "home", server_services="identity,control,farm")
    try:
        served.start(authorize=False)
        yield served
    finally:
        served.close()


def peak(served: Served) -> int:
    """The most that the service's processes have ever had in memory, together, in bytes."""
    if served.process is None:
        raise AssertionError
    found, total = [served.process.pid], 0
    for pid in found:
        found += children(pid)
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return total


def caller(served: Served, instance: Provisioned) -> httpx.Client:
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    path = f"/identity/applications/{served.administrator['clientId']}"
    instance.assign(served.public.get(path, headers=own).raise_for_status().json()["objectId"], ADMIN)
    token = served.token("https://farmbeats.azure.net/.default")
    return httpx.Client(
        base_url=instance.uri,
        verify=ssl.create_default_context(cafile=str(served.ca)),
        timeout=PATIENCE,
        headers={"Authorization": f"Bearer {token}"},
        params={"api-version": "2022-11-01-preview"},
    )


def test_memory_is_flat(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "large.bin"
    block, digest = bytes(range(256)) * 4096, hashlib.sha256()
    with file.open("wb") as target:
        for _ in range(SIZE // len(block)):
            target.write(block)
            digest.update(block)
    with caller(served, provision(served)) as client:
        client.patch("/parties/p1", json={}).raise_for_status()
        fields = {"resourceId": "p1", "resourceType": "Party"}

        def send(name: str, data: Path) -> None:
            with data.open("rb") as opened:
                path = f"/parties/p1/attachments/{name}"
                client.patch(path, data=fields, files={"file": opened}).raise_for_status()

        def fetch(name: str) -> str:
            found = hashlib.sha256()
            with client.stream("GET", f"/parties/p1/attachments/{name}/file") as answer:
                for chunk in answer.raise_for_status().iter_bytes():
                    found.update(chunk)
            return found.hexdigest()

        small = tmp_path / "small.bin"
        small.write_bytes(block)
        # What a first file costs is no matter of its size.
        send("small", small)
        fetch("small")
        before = peak(served)
        send("large", file)
        assert fetch("large") == digest.hexdigest()
        more = peak(served) - before
    assert more < MOST_MORE, f"{more / 2**20:.0f} MiB more for {SIZE >> 20} MiB"
    print(f"{more / 2**20:.1f} MiB more for {SIZE >> 20} MiB")


def test_a_download_goes_on(served: Served, tmp_path: Path) -> None:
    whole = bytes(range(256)) * 20_000
    path = "/parties/p1/attachments/a-1"
    with caller(served, provision(served)) as client:
        patch = {"content-type": "application/merge-patch+json"}
        client.patch("/parties/p1", json={}, headers=patch).raise_for_status()
        of = {"resourceId": "p1", "resourceType": "Party"}
        client.patch(path, data=of, files={"file": ("a.bin", whole)}).raise_for_status()
        rest = client.get(f"{path}/file", headers={"range": "bytes=4000000-"})
        assert (rest.status_code, rest.content) == (206, whole[4_000_000:])
        token, url = client.headers["authorization"], str(client.build_request("GET", f"{path}/file").url)
    target = tmp_path / "a.bin"
    target.write_bytes(whole[:3_000_000])
    curl = ["curl", "-fsS", "-C", "-", "--cacert", str(served.ca), "-H", f"Authorization: {token}"]
    subprocess.run([*curl, "-o", str(target), url], check=True, timeout=PATIENCE)
    assert target.read_bytes() == whole
