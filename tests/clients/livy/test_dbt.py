"""dbt with dbt-spark-livy builds a project: tables, views, tests, and a model that fails."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.clients.livy.program import HERE, installed
from tests.serving import Served

pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_a_project_is_built(livy: Served, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(HERE / "dbt", project)
    connection = {
        "type": "spark_livy",
        "method": "livy",
        "host": livy.private_url,
        "user": livy.administrator["clientId"],
        "password": livy.administrator["clientSecret"],
        # The adapter has a session each thread, and another schema would be made in one and looked for in another.
        "schema": "default",
        "usage_tracking": False,
        "livy_session_parameters": {"spark.sql.shuffle.partitions": "2"},
    }
    profile = {
        "config": {"send_anonymous_usage_stats": False},
        "farm": {"target": "here", "outputs": {"here": connection}},
    }
    (project / "profiles.yml").write_text(json.dumps(profile))
    command = [installed("dbt", "bin/python"), HERE / "drivers" / "dbt_project.py"]
    command.append("--no-version-check")
    options = ["--project-dir", project, "--profiles-dir", project]
    ran = subprocess.run(
        [*command, "build", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"HOME": str(tmp_path)},
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    told = json.loads((project / "target" / "run_results.json").read_text())["results"]
    found = {each["unique_id"].split(".")[2]: each for each in told}
    assert {name: each["status"] for name, each in found.items()} == {
        "fields": "success",
        "crops": "success",
        "unique_fields_id": "pass",
        "not_null_fields_id": "pass",
        "accepted_values_crops_crop__rye__barley": "fail",
        "broken": "error",
    }
    assert found["accepted_values_crops_crop__rye__barley"]["failures"] == 1
    assert "[UNRESOLVED_COLUMN.WITH_SUGGESTION]" in found["broken"]["message"]
    assert livy.public.get("/livy/sessions").json()["sessions"] == [], "it deletes its sessions"
