"""Is a port free? Asked before anything is started, since a listener would say so late and in its own words."""

import errno
import socket
import time

#: Seconds that the listeners of a `serve` that was just killed get to notice it and go.
PATIENCE = 3.0


class PortError(Exception):
    """A port can't be listened on. The message is one line for the operator."""


def check_port(setting: str, host: str, port: int) -> None:
    """Listen for a moment.

    Raises:
        PortError: it is in use, forbidden, or the address is not this machine's.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                probe.listen()
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            reason = (
                "is in use" if error.errno == errno.EADDRINUSE else f"can't be listened on ({error.strerror})"
            )
            raise PortError(f"{setting}: port {port} of {host} {reason}") from error
        return
