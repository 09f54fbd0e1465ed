"""A batch's record as the bytes that go over the wire: made when the row changes, joined when it is read."""

from collections.abc import Iterable, Mapping

import msgspec

from headland.jobs.batches.wire import AppInfo, Batch

#: The columns that a record shows, and their values in this order.
COLUMNS = ("id", "name", "owner", "proxy_user", "state", "app_id", "app_info")
Values = tuple[int, str | None, str | None, str | None, str, str | None, bytes | None]

#: A record's last member changes with each line that a program writes, and is kept apart.
_EMPTY_LOG = b'"log":[]}'

_encode = msgspec.json.Encoder().encode


def head(values: Values) -> bytes:
    """The record up to its log."""
    batch_id, name, owner, proxy_user, state, app_id, app_info = values
    info = msgspec.json.decode(app_info, type=AppInfo) if app_info else AppInfo()
    whole = _encode(Batch(batch_id, name, owner, proxy_user, state, app_id, info, log=[]))
    return whole.removesuffix(_EMPTY_LOG)


def whole(head: bytes, log: bytes) -> bytes:
    """A `Batch`. `log` is a JSON list of lines."""
    return b'%b"log":%b}' % (head, log)


def with_more(whole: bytes, more: Mapping[str, msgspec.Struct | None]) -> bytes:
    """The same with further members behind Livy's."""
    return (
        whole.removesuffix(b"}")
        + b"".join(b',"%b":%b' % (name.encode(), _encode(said)) for name, said in more.items())
        + b"}"
    )


def page(start: int, total: int, batches: Iterable[bytes]) -> bytes:
    """A `BatchList`."""
    return b'{"from":%d,"total":%d,"sessions":[%b]}' % (start, total, b",".join(batches))
