"""What the clients submit: it works with Spark, ends at once, fails, or stays until a file says that it may end."""

import os
import sys
import time
from pathlib import Path

behaviour, *rest = sys.argv[1:]
if behaviour == "count":
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    print("counted", spark.range(42).count())
    spark.stop()
elif behaviour == "talk":
    for number in range(int(rest[0])):
        print("furrow", number)
elif behaviour == "stay":
    mark = Path(rest[0])
    with Path(f"{mark}.runs").open("a") as runs:
        runs.write(f"{os.getpid()}\n")
    print("staying", flush=True)
    while not mark.exists():
        time.sleep(0.05)
    print("leaving")
else:
    raise ValueError("no seed left")
