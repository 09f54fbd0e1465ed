"""What tests run as a Python batch."""

import sys

from pyspark.sql import SparkSession

if sys.argv[1] == "fail":
    raise ValueError("no seed left")

import helper

spark = SparkSession.builder.getOrCreate()
print("helper says", helper.CROP)
print("argument", sys.argv[1])
print("counted", spark.sparkContext.parallelize(range(42), 2).map(lambda x: x + 1).count())
spark.stop()
