"""What tests run as a Python batch."""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
if sys.argv[1] == "fail":
    raise ValueError("no seed left")

import helper  # noqa: E402 - it is not there where the program is to fail

print("helper says", helper.CROP)
print("argument", sys.argv[1])
print("counted", spark.sparkContext.parallelize(range(42), 2).map(lambda x: x + 1).count())
spark.stop()
