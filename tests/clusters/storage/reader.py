"""Counts the rows at the URL that is its argument."""

import sys

from pyspark.sql import SparkSession

print("rows", SparkSession.builder.getOrCreate().read.parquet(sys.argv[1]).count(), flush=True)
