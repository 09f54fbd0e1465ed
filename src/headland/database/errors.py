"""What callers are told when rows can't be read or written."""


class DatabaseUnavailableError(Exception):
    """The database is locked, read-only, full or gone. Nothing was written; the call may be repeated."""
