"""HTTP to a resource manager, without proxies: whatever is no answer says nothing about an application."""

import json
from typing import Any
from urllib.parse import urlsplit

from headland.jobs.clusters.exchange import LARGEST, exchange
from headland.jobs.clusters.manager import ManagerUnreachableError


def ask(url: str, method: str = "GET") -> bytes:
    """The body of a manager's answer.

    Raises:
        ManagerUnreachableError: it does not answer, or not with 200.
    """
    with exchange(url, method) as answer:
        body = answer.read(LARGEST)
        if answer.status != 200:
            parts = urlsplit(url)
            raise ManagerUnreachableError(f"{parts.netloc}{parts.path}: HTTP status {answer.status}")
        return body


def ask_json(url: str, method: str = "GET") -> dict[str, Any]:
    """The same, decoded.

    Raises:
        ManagerUnreachableError: no answer, or none that is a JSON object.
    """
    body = ask(url, method)
    try:
        found = json.loads(body)
    except ValueError as error:
        raise ManagerUnreachableError(f"{urlsplit(url).netloc}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ManagerUnreachableError(f"{urlsplit(url).netloc}: not a JSON object")
    return found
