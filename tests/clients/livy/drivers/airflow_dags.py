"""DAGs as people write them, for the test to run with Airflow's own runner; each task tells how it ended."""

import json
import os
from datetime import timedelta
from pathlib import Path

import tenacity
from airflow.providers.apache.livy.operators.livy import LivyOperator
from airflow.providers.apache.livy.sensors.livy import LivySensor
from airflow.sdk import DAG

FILE, MARK = os.environ["FIELD"], os.environ["MARK"]


def tell(context):
    ti = context["ti"]
    with Path(os.environ["TOLD"]).open("a") as told:
        event = {
            "task": ti.task_id,
            "try": ti.try_number,
            "error": repr(context["exception"]) if context.get("exception") else None,
            "batch": ti.xcom_pull(task_ids=ti.task_id),
            "application": ti.xcom_pull(task_ids=ti.task_id, key="app_id"),
        }
        told.write(json.dumps(event) + "\n")


told = {"on_success_callback": tell, "on_failure_callback": tell, "on_retry_callback": tell}
quick = {"file": FILE, "polling_interval": 1}

with DAG("outcomes", schedule=None, default_args=told):
    submitted = LivyOperator(task_id="submitted", file=FILE, args=["talk", 3], name="{{ dag.dag_id }}")
    watched = LivySensor(task_id="watched", batch_id=submitted.output, poke_interval=1, mode="reschedule")
    submitted >> watched
    LivyOperator(
        task_id="waited_for",
        file=os.environ["ARCHIVE"],
        class_name="headland.tests.Probe",
        args=["tell", 1, 2.5, "{{ dag.dag_id }}"],
        num_executors="1",
        conf={"spark.probe.number": 7},
        polling_interval=1,
    )
    LivyOperator(task_id="failed", args=["fail"], **quick)
    LivyOperator(task_id="deferred", args=["talk", 3], deferrable=True, **quick)
    LivyOperator(task_id="deferred_and_failed", args=["fail"], deferrable=True, **quick)
    LivyOperator(
        task_id="killed", args=["stay", f"{MARK}-killed"], execution_timeout=timedelta(seconds=6), **quick
    )

with DAG("restart", schedule=None, default_args=told):
    # Each request is tried again until somebody listens.
    insists = LivyOperator(
        task_id="insists",
        args=["stay", f"{MARK}-insists"],
        retry_args={"wait": tenacity.wait_fixed(0.5), "stop": tenacity.stop_after_delay(120)},
        **quick,
    )
    # The request fails, and with it the task's try; the next try takes the running batch up again.
    resumes = LivyOperator(
        task_id="resumes",
        args=["stay", f"{MARK}-resumes"],
        retries=60,
        retry_delay=timedelta(seconds=1),
        **quick,
    )
    insists >> resumes
