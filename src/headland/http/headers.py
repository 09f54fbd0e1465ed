"""One header of a request, without all the others."""

from starlette.types import Scope


def header(scope: Scope, name: bytes) -> str | None:
    """The first value of the header with this `name`, which is in lower case; None where there is none.

    Starlette's mapping decodes and compares every header for the same.
    """
    for found, value in scope["headers"]:
        if found == name:
            text: str = value.decode("latin-1")
            return text
    return None
