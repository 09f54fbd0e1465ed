"""What Spark's history server makes of the event logs in the folder whose URL is its argument."""

import sys
import time

from pyspark.sql import SparkSession

context = SparkSession.builder.getOrCreate().sparkContext
spark = context._jvm.org.apache.spark
conf = spark.SparkConf().set("spark.history.fs.logDirectory", sys.argv[1])
provider = spark.deploy.history.FsHistoryProvider(conf)
provider.start()
deadline = time.monotonic() + 60
found = []
while not found and time.monotonic() < deadline:
    listed = provider.getListing()
    while listed.hasNext():
        found.append(listed.next().name())
    time.sleep(0.1)
provider.stop()
print("history has", found, flush=True)
