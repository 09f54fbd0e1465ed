"""Writes rows to the URL that is its argument and reads them back, on executors, and tells what these know."""

import os
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext
target = sys.argv[1]


def known(_):
    yield sorted(name for name in os.environ if name.startswith("IDENTITY_"))


spark.range(0, 1000, 1, 4).selectExpr("id", "concat('ü', id) t").write.mode("overwrite").parquet(target)
print("rows", spark.read.parquet(target).count(), flush=True)
print("executors know", context.parallelize([1], 1).mapPartitions(known).collect(), flush=True)
# Access tokens are JSON in base 64.
said = [value for _, value in context.getConf().getAll()] + sys.argv
print("tokens in the open", sum("eyJ" in value for value in said), flush=True)
