"""What a program in Python has to be told of a Headland: addresses, tenant, and which application it is."""

import json
import os
from collections.abc import Callable
from typing import Any

from azure.core.exceptions import HttpResponseError

TENANT = os.environ["TENANT"]
ENDPOINT = os.environ["INSTANCE_URI"]
APPLICATIONS = json.loads(os.environ["APPLICATIONS"])


def credential_options(role: str) -> dict[str, Any]:
    client_id, secret = APPLICATIONS[role]
    return {
        "tenant_id": TENANT,
        "client_id": client_id,
        "client_secret": secret,
        "authority": os.environ["AUTHORITY"],
        "disable_instance_discovery": True,
    }


def refused(call: Callable[[], object]) -> list[Any]:
    """How a call is refused, as a program sees it."""
    try:
        call()
    except HttpResponseError as error:
        return [type(error).__name__, error.status_code, error.error.code if error.error else None]
    raise AssertionError("it was not refused")
