"""The same report as `yield-report/YieldReport.scala`, as a Python program: submit it without an entry class."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

FIELDS = [
    ("Home Meadow", "winter wheat", 12.4, 8.1),
    ("Long Acre", "winter wheat", 21.9, 7.4),
    ("Mill Side", "spring barley", 9.7, 6.2),
    ("North Headland", "oilseed rape", 15.2, 3.6),
]


def main(points: int) -> None:
    """Print what each field yielded, from `points` computed points a field."""
    spark = SparkSession.builder.appName("Yield report").getOrCreate()
    fields = spark.createDataFrame(FIELDS, "field string, crop string, hectares double, mean double")
    spread = f.lit(0.85) + f.pmod(f.hash("field", "point"), f.lit(301)) / 1000
    harvest = fields.crossJoin(spark.range(points).toDF("point")).withColumn("yield", f.col("mean") * spread)
    report = harvest.groupBy("field", "crop", "hectares").agg(f.avg("yield").alias("mean"))
    report.select("field", "crop", f.round(f.col("mean") * f.col("hectares"), 1).alias("tonnes")).orderBy(
        "field"
    ).show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
