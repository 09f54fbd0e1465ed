"""What Livy's Java client sends that others do not, byte for byte, on a real listener."""

import base64
import json
import socket

from tests.serving import PATIENCE, Served


def test_the_java_clients_headers_are_taken(livy: Served, field: str) -> None:
    """`Expect` is answered before the body comes; `Content-Encoding: UTF-8` is none; numbers may be text."""
    body = json.dumps({"file": field, "numExecutors": "2", "driverCores": "1"})
    caller = f"{livy.administrator['clientId']}:{livy.administrator['clientSecret']}"
    head = (
        "POST /batches/ HTTP/1.1\r\n"
        "Host: 127.0.0.1\r\n"
        "Connection: close\r\n"
        "Accept: application/json\r\n"
        "Content-Type: application/json\r\n"
        "Content-Encoding: UTF-8\r\n"
        "X-Requested-By: livy\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"Authorization: Basic {base64.b64encode(caller.encode()).decode()}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with (
        socket.create_connection(("127.0.0.1", livy.private_port), timeout=PATIENCE) as connection,
        connection.makefile("rwb") as stream,
    ):
        stream.write(head.encode())
        stream.flush()
        assert stream.readline() == b"HTTP/1.1 100 Continue\r\n"
        assert stream.readline() == b"\r\n"
        stream.write(body.encode())
        stream.flush()
        answer, _, created = stream.read().partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 201 "), created
    batch = json.loads(created)["id"]
    deleted = livy.public.delete(f"/livy/batches/{batch}")
    assert (deleted.status_code, deleted.json()) == (200, {"msg": "deleted"})
    assert livy.public.delete(f"/livy/batches/{batch}").status_code == 404
