"""A program that tells which packages driver and executors have, on any cluster."""

from pathlib import Path
from typing import Any

from tests.serving import Served
from tests.wheels import index_of, make, make_wheel

PROGRAM = """
import sys
import soil
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

def look(_):
    import soil
    return soil.__file__

(there,) = spark.sparkContext.parallelize([0], 1).map(look).collect()
print("driver", soil.PH, soil.__file__)
print("executor", there)
spark.stop()
"""


def with_index(served: Served, folder: Path) -> None:
    """Have a Headland, before it starts, take packages from a folder alone: `soil`."""
    make_wheel(folder, "soil", "1.0", "PH = 6.5\n")
    served.environment |= index_of(folder)


def tell(served: Served, folder: Path, **conf: str) -> tuple[dict[str, Any], list[str]]:
    """The environment, and what the program says that runs with it."""
    environment = make(served, "soil", "soil")
    program = folder / "packages.py"
    program.write_text(PROGRAM)
    answer = served.submit(
        file=served.put(program, "programs/packages.py"), conf={"spark.headland.environment": "soil", **conf}
    )
    assert answer.status_code == 201, answer.text
    batch = answer.json()["id"]
    lines = served.wait(batch) and served.lines(batch)
    assert served.state(batch) == "success", lines
    return environment, lines
