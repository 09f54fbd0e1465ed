"""JSON documents of the service, taken for what they should be."""

from typing import Any, TypeVar

import msgspec

from headland.cli.errors import CliError

T = TypeVar("T")


def view(document: Any, kind: type[T]) -> T:
    """`document` as the Struct `kind`.

    Raises:
        CliError: it is something else.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise unexpected(error) from None


def unexpected(error: msgspec.MsgspecError) -> CliError:
    """An answer is something else than it should be."""
    return CliError(
        f"the service's answer is not what it should be ({error})",
        "check that service and CLI are of the same version",
    )
