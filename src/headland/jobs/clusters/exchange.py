"""One question over HTTP to a part of a cluster, without proxies, and with redirects within the cluster.

The standard library's client, since the service starts in well under a second and httpx takes a fifth of one.
"""

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

from headland.jobs.clusters.manager import ManagerUnreachableError

#: Seconds that an answer may take, and each further piece of it.
PATIENCE = 10.0

#: Redirects that are followed where they are followed at all: a node that sends to the log server.
REDIRECTS = 3

#: Largest answer that is read as a whole, in bytes.
LARGEST = 64 << 20


@contextmanager
def exchange(
    url: str,
    method: str = "GET",
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    redirects: int = 0,
) -> Iterator[http.client.HTTPResponse]:
    """The answer, whatever its status, to be read within.

    Raises:
        ManagerUnreachableError: there is none, or it breaks off while it is read.
    """
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(parts.netloc, timeout=PATIENCE, context=tls)
    else:
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, {"Accept": "*/*", **(headers or {})})
        answer = connection.getresponse()
        location = answer.headers.get("Location")
        if answer.status in {302, 307, 308} and location and redirects > 0:
            connection.close()
            with exchange(
                urljoin(url, location),
                method,
                body=body,
                headers=headers,
                tls=tls,
                redirects=redirects - 1,
            ) as redirected:
                yield redirected
        else:
            yield answer
    except (OSError, http.client.HTTPException) as error:
        raise ManagerUnreachableError(f"{parts.netloc}: {error or type(error).__name__}") from error
    finally:
        connection.close()


def pieces(answer: http.client.HTTPResponse, size: int = 1 << 16) -> Iterator[bytes]:
    """The answer's body, as it comes."""
    while piece := answer.read(size):
        yield piece
