"""A way to a store that breaks off in the middle of what is read by a link."""

import contextlib
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

#: Bytes of an answer to a link that come through.
COME = 1 << 20


class Leaky:
    """Hands on connections to a store at `address`."""

    def __init__(self, store: str) -> None:
        parts = urlsplit(store)
        self._store = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        #: How many answers were broken off.
        self.broken = 0

    def __enter__(self) -> "Leaky":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._store) as store, contextlib.suppress(OSError):
            head = client.recv(1 << 16)
            store.sendall(head)
            linked = b"sig=" in head.partition(b"\r\n")[0]
            threading.Thread(target=_pump, args=(client, store), daemon=True).start()
            left = COME
            while (not linked or left > 0) and (data := store.recv(1 << 16)):
                client.sendall(data)
                left -= len(data)
            self.broken += linked and left <= 0
            # Closing alone waits for the other thread.
            for each in (client, store):
                each.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
