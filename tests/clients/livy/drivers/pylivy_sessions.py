"""pylivy's sessions, driven as its documentation has it; prints what it made of the answers as JSON."""

import json
import sys
from pathlib import Path

import pandas
import requests
from livy import LivySession
from livy.models import SessionKind, SparkRuntimeError
from requests.adapters import HTTPAdapter
from urllib3 import Retry

asked = json.loads(sys.argv[1])
patient = requests.Session()
patient.mount("http://", HTTPAdapter(max_retries=Retry(total=60, backoff_factor=0.2, backoff_max=1)))
options = {"requests_session": patient, "auth": None, "driver_memory": "1g"}
told = {}

with LivySession.create(asked["url"], kind=SessionKind.PYSPARK, name="pylivy", **options) as session:
    told["value"] = session.run("1 + 1").text
    session.upload("fields", pandas.DataFrame({"crop": ["rye", "oats"], "area": [1.5, 2.0]}))
    told["area"] = float(session.download("fields")["area"].sum())
    many = pandas.DataFrame({"crop": ['rye "wild"'] * 60_000, "number": range(60_000)})
    session.upload("many", many)
    told["many"] = session.run("many.count(), many.agg({'number': 'sum'}).first()[0]").text
    try:
        session.run("1 / 0")
    except SparkRuntimeError as error:
        told["error"] = [error.ename, error.evalue]
    # The service is killed and started while this cell runs.
    mark = asked["mark"]
    waiting = f"""
import pathlib, time
with open({mark + ".runs"!r}, "a") as runs: runs.write("run\\n")
while not pathlib.Path({mark!r}).exists(): time.sleep(0.05)
print("through")
"""
    told["waited"] = session.run(waiting).text
    told["runs"] = Path(mark + ".runs").read_text()
    told["state"] = session.state.value

with LivySession.create(asked["url"], kind=SessionKind.SPARK, **options) as session:
    told["scala"] = session.run("val height = 3\nheight * 2").text
    session.run("case class Row(id: Long, name: String)")
    session.run('val rows = spark.range(3).map(n => Row(n, s"row $n"))')
    told["rows"] = session.download("rows").values.tolist()

with LivySession.create(asked["url"], kind=SessionKind.SQL, **options) as session:
    session.run("CREATE TEMPORARY VIEW crops AS SELECT * FROM VALUES ('rye', 2), ('oats', 3) AS t(name, n)")
    told["sql"] = session.download_sql(
        "SELECT name, n, date'2026-11-21' AS day FROM crops ORDER BY n"
    ).values.tolist()

print(json.dumps(told))
