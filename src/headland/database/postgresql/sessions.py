"""Sessions with PostgreSQL, as Headland wants them."""

import time
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.bool import BoolDumper
from psycopg.types.numeric import FloatDumper, IntDumper
from psycopg.types.string import BytesBinaryDumper, StrDumperUnknown

from headland.database.postgresql.errors import one_line

#: The oldest version that the tests know (150000 is 15.0).
OLDEST_VERSION = 150_000

#: Seconds that a server has for taking a connection, and for acknowledging what it was sent.
_PATIENCE = 5

#: What the URL may say otherwise (libpq-connect, section 34.1.2). Of several hosts it is the one that can be written.
_DEFAULTS = {
    "application_name": "headland",
    "connect_timeout": _PATIENCE,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 1000 * _PATIENCE,
    "target_session_attrs": "read-write",
}

#: Seconds between two tries.
_PAUSE = 0.25

#: Statements that each session keeps prepared, of the thousand that there may be.
_MOST_PREPARED = 400


class UnfitServerError(psycopg.OperationalError):
    """The server is one with which Headland can't work."""


class _Text(StrDumperUnknown):
    """PostgreSQL's text can't have NUL: in its place, stored as compared, stands the picture of it."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\u2400") if "\0" in obj else obj)


class _Int(IntDumper):
    oid = 0


class _Float(FloatDumper):
    oid = 0


class _Bool(BoolDumper):
    oid = 0


class _Bytes(BytesBinaryDumper):
    oid = 0


#: Their types are left to the server, which takes them from the statement: or each mixture of types and nulls, and
#: each size of numbers, would have a prepared statement of its own.
_DUMPERS: dict[type, Any] = {str: _Text, int: _Int, float: _Float, bool: _Bool, bytes: _Bytes}


def connect(url: str, **settings: str) -> "psycopg.Connection[Any]":
    """A session in which each statement stands for itself until a transaction is begun, with these run-time settings
    (https://www.postgresql.org/docs/15/runtime-config-client.html).

    Raises:
        psycopg.OperationalError: there is none to be had now.
        UnfitServerError: the server is too old, or can't store all text.
    """
    arguments: dict[str, Any] = {**_DEFAULTS, **conninfo_to_dict(url)}
    session = psycopg.connect(**arguments, autocommit=True)
    try:
        for kind, dumper in _DUMPERS.items():
            session.adapters.register_dumper(kind, dumper)
        session.prepared_max = _MOST_PREPARED
        _check(session)
        # An acknowledged row must survive a power cut, whatever the server's default. All in one statement.
        wanted = {
            "client_encoding": "UTF8",
            "default_transaction_isolation": "read committed",
            "idle_in_transaction_session_timeout": "60s",
            **settings,
        }
        given = ", ".join("set_config(%s, %s, false)" for _ in wanted)
        session.execute(
            f"SELECT {given}, CASE current_setting('synchronous_commit')"
            " WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END",
            [text for pair in wanted.items() for text in pair],
        )
    except BaseException:
        session.close()
        raise
    return session


def await_server(url: str, patience: float, told: Callable[[str], None]) -> None:
    """Wait until there is a session to be had, for so many seconds at the most; `told` is told of each new reason why
    there is none. Of machines that start together the server's may be the later one.
    """
    until = time.monotonic() + patience
    reason = None
    while time.monotonic() < until:
        try:
            connect(url).close()
        except UnfitServerError:
            return
        except psycopg.OperationalError as error:
            if one_line(error) != reason:
                reason = one_line(error)
                told(reason)
            time.sleep(_PAUSE)
        else:
            return


def _check(session: "psycopg.Connection[Any]") -> None:
    version = session.info.server_version
    if version < OLDEST_VERSION:
        raise UnfitServerError(f"PostgreSQL 15 or later is needed; this is {version // 10_000}")
    if session.info.parameter_status("server_encoding") != "UTF8":
        raise UnfitServerError("the database must have the encoding UTF8")
