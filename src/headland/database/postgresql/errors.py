"""Words for what went wrong."""

from sqlalchemy.exc import DBAPIError


def one_line(error: BaseException | None) -> str:
    """What the server or the driver says, without the statement."""
    return " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
