"""Airflow's LivyHook over each connection that it is told; prints what it made of the answers as JSON."""

import json
import os
import sys
import time

import requests
from airflow.providers.apache.livy.hooks.livy import LivyHook
from airflow.providers.common.compat.sdk import AirflowException
from structlog.testing import capture_logs

asked = json.loads(sys.argv[1])


class ClientCredentials(requests.auth.AuthBase):
    """The connection's login and password as client id and secret, for a token: what `auth_type` is there for."""

    def __init__(self, login, password):
        form = {"grant_type": "client_credentials", "client_id": login, "client_secret": password}
        form["scope"] = os.environ["SCOPE"]
        answer = requests.post(os.environ["TOKEN_URL"], data=form, timeout=30)
        answer.raise_for_status()
        self.token = answer.json()["access_token"]

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


def refusal(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except AirflowException as error:
        return str(error)
    return None


def walk(way, options):
    """Each of the hook's calls."""
    if options.pop("client_credentials", False):
        options["auth_type"] = ClientCredentials
    hook, seen = LivyHook(livy_conn_id=way, **options), {}
    file = asked["file"]
    good = hook.post_batch(
        file,
        args=["talk", 250],
        driver_memory="512m",
        driver_cores="1",
        executor_memory="1g",
        executor_cores=1,
        num_executors="2",
        queue="default",
        name=f"airflow-{way}",
        conf={"spark.ui.showConsoleProgress": "false", "spark.task.maxFailures": 1},
    )
    seen["id"], states = good, []
    while not states or hook.get_batch_state(good) not in hook.TERMINAL_STATES:
        states.append(hook.get_batch_state(good).value)
        time.sleep(0.1)
    seen["states"] = [*states, hook.get_batch_state(good).value]
    seen["batch"] = hook.get_batch(good)
    seen["page"] = hook.get_batch_logs(good, 1, 2)
    seen["beyond"] = hook.get_batch_logs(good, 100_000, 100)
    with capture_logs() as task_log:
        hook.dump_batch_logs(good)
    seen["dumped"] = [entry["event"] for entry in task_log]
    seen["deleted"] = hook.delete_batch(good)
    seen["forgotten"] = refusal(hook.get_batch_state, good)
    stays = hook.post_batch(file, args=["stay", f"{asked['mark']}-{way}"])
    while "staying" not in hook.get_batch_logs(stays, 0, -1)["log"]:
        time.sleep(0.1)
    seen["killed"] = hook.delete_batch(stays)
    seen["refused"] = refusal(hook.post_batch, "/etc/hosts.py")
    return seen


print(json.dumps({way: walk(way, options) for way, options in asked["ways"].items()}))
