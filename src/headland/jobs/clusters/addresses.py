"""This node's own address, as the nodes of a cluster are to call it."""

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit


def address_towards(urls: Iterable[str]) -> str | None:
    """The address from which this node would speak to the first of `urls` that it finds a way to; None where it finds
    none. Nothing is sent.

    A driver's own choice is the address of its host's name or of any network card, which may be one that no other
    machine knows of.
    """
    for url in urls:
        parts = urlsplit(url)
        try:
            for family, _, _, _, place in socket.getaddrinfo(
                parts.hostname, parts.port or 80, type=socket.SOCK_DGRAM
            ):
                with socket.socket(family, socket.SOCK_DGRAM) as way:
                    way.connect(place)
                    found = str(way.getsockname()[0])
                return f"[{found}]" if family == socket.AF_INET6 else found
        except OSError:
            continue
    return None
