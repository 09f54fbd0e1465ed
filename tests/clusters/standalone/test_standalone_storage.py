"""Executors of a standalone cluster reach cluster storage: the files of this node, and else through the service."""

from pathlib import Path

import pytest
from tests.serving import APPLICATIONS, Served, eventually

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

#: As executors on another machine see it.
ELSEWHERE = {"spark.hadoop.fs.headland.machine": "another"}


@pytest.mark.parametrize(
    "conf", [pytest.param({}, id="files", marks=pytest.mark.long), pytest.param(ELSEWHERE, id="service")]
)
def test_executors_read_and_write(attached: Served, conf: dict[str, str]) -> None:
    """Where they need a token they have the driver's, by Spark's own way; it is in nothing that others see."""
    file = attached.put(APPLICATIONS / "storage.py", "programs/storage.py")
    target = f"wasbs:///rows/{len(conf)}"
    batch = attached.submit(file=file, args=[target], conf={"spark.executor.memory": "512m", **conf}).json()[
        "id"
    ]
    assert attached.wait(batch) == "success", "\n".join(
        line for line in attached.lines(batch) if " INFO " not in line
    )
    lines = attached.lines(batch)
    assert "rows 1000" in lines
    assert "executors know [[]]" in lines
    assert "tokens in the open 0" in lines
    assert not any("eyJ" in line for line in lines)


@pytest.mark.long
def test_executors_wait_for_a_service_that_is_killed_meanwhile(attached: Served, tmp_path: Path) -> None:
    file = attached.put(Path(__file__).parents[1] / "storage/copy_rows.py", "programs/copy_rows.py")
    conf = {"spark.executor.memory": "512m", **ELSEWHERE}
    batch = attached.submit(file=file, args=["wasbs:///away", str(tmp_path)], conf=conf).json()["id"]
    eventually((tmp_path / "reached").exists, "an executor is in the middle")
    attached.kill()
    (tmp_path / "goes").touch()
    attached.cut_off(4)
    attached.start()
    assert attached.wait(batch) == "success", attached.lines(batch)[-50:]
    lines = attached.lines(batch)
    assert "listed True" in lines
    assert "copied 30000 True" in lines
