"""Writes rows to the URL that is its first argument. With a second one it waits in the middle until that file is
there.
"""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
waits_for = Path(sys.argv[2]) if len(sys.argv) > 2 else None


def slowly(row):
    if waits_for is not None and row.id == 50_000:
        waits_for.with_suffix(".reached").touch()
        while not waits_for.exists():
            time.sleep(0.05)
    return (row.id, "x" * 1000)


spark.range(0, 100_000, 1, 2).rdd.map(slowly).toDF("id long, t string").write.mode("append").parquet(
    sys.argv[1]
)
print("written", flush=True)
