"""Copies lines of text below the URL that is its first argument, in one task, and looks whether they are the same.

In the middle, with a file half read and another half written, it makes `reached` in the folder that is its second
argument and waits for `goes` there; from then on the driver lists a folder, too.
"""

import os
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

LINES = 30_000

spark = SparkSession.builder.getOrCreate()
base, folder = sys.argv[1], Path(sys.argv[2])
goes, reached = folder / "goes", folder / "reached"


def slowly(number: int, line: str) -> str:
    if number == LINES // 2:
        reached.touch()
        wait()
    return line


def wait() -> None:
    while not goes.exists():
        time.sleep(0.05)


def look() -> None:
    wait()
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(f"{base}/source")
    found = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).listStatus(path)
    print("listed", len(found) > 0, flush=True)


def said(name: str) -> list[object]:
    lines = spark.read.text(f"{base}/{name}").selectExpr("count(*)", "sum(crc32(encode(value, 'UTF-8')))")
    return list(lines.first())


# A kilobyte each: parts are sent, and parts fetched, while there is more to come.
made = spark.range(0, LINES, 1, 1).rdd.map(lambda row: (f"{row.id} {os.urandom(512).hex()}",))
made.toDF("value string").coalesce(1).write.text(f"{base}/source")
looking = threading.Thread(target=look)
looking.start()
lines = spark.read.text(f"{base}/source").coalesce(1).rdd.map(lambda row: row.value)
copied = lines.zipWithIndex().map(lambda pair: (slowly(pair[1], pair[0]),))
copied.toDF("value string").write.text(f"{base}/target")
looking.join()
count, _ = said("target")
print("copied", count, said("source") == said("target"), flush=True)
spark.stop()
