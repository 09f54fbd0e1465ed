"""A Spark batch that reads the farm service as whoever submitted it, and writes down what it found there.

It needs azure-agrifood-farming and azure-identity in the Python that runs it, and nothing else: no address, no secret.
"""

import json
import os
from pathlib import Path

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import DefaultAzureCredential
from pyspark.sql import SparkSession

instance = json.loads(Path(os.environ["HEADLAND_INSTANCES"]).read_text())[0]
farm = FarmBeatsClient(endpoint=instance["endpoint"], credential=DefaultAzureCredential())
parties = [(party["id"], party.get("name", "")) for party in farm.parties.list()]

spark = SparkSession.builder.getOrCreate()
frame = spark.createDataFrame(parties, "id string, name string")
print("parties", sorted(row.name for row in frame.where("name <> ''").collect()))

summary = {"name": f"Counted {frame.count()} parties", "description": spark.sparkContext.applicationId}
farm.parties.create_or_update(party_id="summary", party=summary)
spark.stop()
