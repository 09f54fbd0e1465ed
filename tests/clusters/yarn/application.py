"""What the tests run on YARN: it says a word, and ends well, badly, or when told to by a file."""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("the drill is on the headland:", *sys.argv[1:], flush=True)
match sys.argv[1:]:
    case ["exit", code]:
        raise SystemExit(int(code))
    case ["linger", mark]:
        with Path(mark).open("a", encoding="utf-8") as runs:
            runs.write("run\n")
        while not Path(mark + ".enough").exists():
            time.sleep(0.1)
    case ["compute"]:
        print("sum:", spark.range(101).selectExpr("sum(id)").head()[0])
spark.stop()
