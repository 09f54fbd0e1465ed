"""HTTP to a resource manager, without proxies: whatever is no answer says nothing about an application."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from headland.jobs.clusters.manager import ManagerUnreachableError

#: Seconds that a manager gets to answer.
PATIENCE = 10.0

#: Largest answer that is read, in bytes.
LARGEST = 64 << 20


def ask(url: str, method: str = "GET") -> bytes:
    """The body of a manager's answer.

    Raises:
        ManagerUnreachableError: it does not answer, or not with 200.
    """
    parts = urlsplit(url)
    make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = make(parts.netloc, timeout=PATIENCE)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, headers={"Accept": "*/*"})
        answer = connection.getresponse()
        body = answer.read(LARGEST)
    except (OSError, http.client.HTTPException) as error:
        raise ManagerUnreachableError(f"{parts.netloc}: {error or type(error).__name__}") from error
    finally:
        connection.close()
    if answer.status != 200:
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
