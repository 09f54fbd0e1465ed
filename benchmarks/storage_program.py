"""What Spark does with cluster storage, beside the bare thing, in turns; run as a batch by `storage.py`.

Arguments: the URL of a local account's folder, that of a folder beside it, how many MB, how many files, and the URL of
a remote account's folder that has the blob `large` and the folder `many`, of as many files. It prints medians of
seconds as JSON, by name.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

from pyspark.sql import SparkSession

ROUNDS = 3
ours, bare, blob = sys.argv[1], sys.argv[2], sys.argv[5]
megabytes, files = int(sys.argv[3]), int(sys.argv[4])
spark = SparkSession.builder.getOrCreate()
jvm = spark.sparkContext._jvm  # noqa: SLF001 - PySpark has no name of its own for Hadoop
conf = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001

#: Doubles that don't compress, eight columns of them: 64 bytes a row.
ROWS = megabytes * 1_000_000 // 64
data = spark.range(0, ROWS, 1, 8).selectExpr(*(f"rand({n}) AS c{n}" for n in range(8)))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def write(to: str) -> None:
    data.write.mode("overwrite").parquet(f"{to}/rows")


def scan(where: str) -> None:
    spark.read.parquet(f"{where}/rows").write.format("noop").mode("overwrite").save()


def file_system(where: str):
    return jvm.org.apache.hadoop.fs.Path(where).getFileSystem(conf)


def fill(where: str) -> None:
    system, folder = file_system(where), jvm.org.apache.hadoop.fs.Path(f"{where}/many")
    system.mkdirs(folder)
    for number in range(files):
        system.create(jvm.org.apache.hadoop.fs.Path(folder, f"{number:05}")).close()


def listed(where: str, files: int) -> None:
    found = file_system(where).listStatus(jvm.org.apache.hadoop.fs.Path(where))
    assert len(found) == files, len(found)


def read(where: str) -> None:
    stream = file_system(where).open(jvm.org.apache.hadoop.fs.Path(where))
    jvm.org.apache.hadoop.io.IOUtils.copyBytes(
        stream, jvm.java.io.OutputStream.nullOutputStream(), 1 << 20, True
    )


measures: dict[str, Callable[[], object]] = {
    "write": lambda: write(ours),
    "write, bare": lambda: write(bare),
    "scan": lambda: scan(ours),
    "scan, bare": lambda: scan(bare),
    "list": lambda: listed(f"{ours}/many", files),
    "list, bare": lambda: listed(f"{bare}/many", files),
    "read": lambda: read(f"{blob}/large"),
    "listing": lambda: listed(f"{blob}/many", files),
}
fill(ours)
fill(bare)
for work in measures.values():
    work()  # the JVM's own warming up
taken: dict[str, list[float]] = {name: [] for name in measures}
for _ in range(ROUNDS):
    for name, work in measures.items():
        taken[name].append(seconds(work))
print("measured", json.dumps({name: statistics.median(found) for name, found in taken.items()}), flush=True)
