"""Large blobs are read at the store itself, by links; where that breaks off, the service goes on."""

import hashlib
import json
import os
from collections.abc import Iterator

import httpx
import msgspec
import pytest
from tests.clients.storage.conftest import AzureRest, azure_settings, s3_settings
from tests.clusters.storage.leaks import Leaky
from tests.served.notebooks import Notebook
from tests.serving import Served, running

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

SIZE, MIDDLE, PART = 24 << 20, 5_000_001, 2 << 20


@pytest.fixture(scope="module")
def leaky(azurite: str) -> Iterator[Leaky]:
    with Leaky(azurite) as leaky:
        yield leaky


@pytest.fixture(scope="module")
def linked(
    azurite: str, s3rver: str, leaky: Leaky, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    azure = azure_settings(azurite)
    accounts = {
        "azure": azure,
        "bucket": s3_settings(s3rver),
        "leaky": azure_settings(leaky.address),
        "linkless": msgspec.structs.replace(azure, links=False),
    }
    served = Served(
        tmp_path_factory.mktemp("linked") / "home",
        storage_accounts=json.dumps(msgspec.to_builtins(accounts)),
    )
    with running(served):
        yield served


#: In Scala: digests of a blob read whole, and of a part of it read at its place and as a range.
DIGESTS = """
import java.nio.ByteBuffer
import java.security.MessageDigest
import org.apache.hadoop.fs.{FSDataInputStream, FileRange, Path}

def digests(url: String): String = {
  val path = new Path(url)
  def digest(read: (FSDataInputStream, MessageDigest) => Unit): String = {
    val (found, stream) = (MessageDigest.getInstance("SHA-256"), path.getFileSystem(sc.hadoopConfiguration).open(path))
    try read(stream, found) finally stream.close()
    java.util.HexFormat.of.formatHex(found.digest)
  }
  val whole = digest { (stream, found) =>
    val bytes = new Array[Byte](1 << 20)
    Iterator.continually(stream.read(bytes)).takeWhile(_ >= 0).foreach(found.update(bytes, 0, _))
  }
  val part = digest { (stream, found) =>
    val bytes = new Array[Byte](%(part)d)
    stream.readFully(%(middle)dL, bytes)
    found.update(bytes)
  }
  val range = digest { (stream, found) =>
    val wanted = FileRange.createFileRange(%(middle)dL, %(part)d)
    stream.readVectored(java.util.List.of(wanted), ByteBuffer.allocate(_))
    found.update(wanted.getData.get)
  }
  s"$whole $part $range"
}
"""


def test_where_large_blobs_are_read(linked: Served, leaky: Leaky, azurite: str, s3rver: str) -> None:
    content = os.urandom(SIZE)
    azure = AzureRest(azurite)
    azure("PUT", "large", "restype=container")
    azure("PUT", "large/blob", body=content)
    httpx.put(f"{s3rver}/fields/land/large/blob", content=content, timeout=60).raise_for_status()
    notebook = Notebook(linked, kind="spark").is_idle()
    notebook.text(DIGESTS % {"middle": MIDDLE, "part": PART})
    part = content[MIDDLE : MIDDLE + PART]
    right = " ".join(hashlib.sha256(each).hexdigest() for each in (content, part, part))
    counts = {}
    for account in ("azure", "bucket", "leaky", "linkless"):
        assert notebook.text(f'print(digests("abfss://large@{account}/blob"))').strip() == right, account
        lines = [json.loads(line) for line in linked.log.read_text().splitlines() if line.startswith("{")]
        asked = [line["path"] for line in lines if line.get("status") == 206]
        counts[account] = asked.count(f"/storage/{account}/large/blob")
    # The first bytes alone, for it takes them to tell that one comes after another.
    assert (counts["azure"], counts["bucket"]) == (1, 1)
    # It broke off in the middle of each of the three.
    assert leaky.broken == 3
    assert 3 < counts["leaky"] <= counts["linkless"]
    assert "sig=" not in linked.log.read_text() + "".join(notebook.get("/log?size=-1")["log"])
