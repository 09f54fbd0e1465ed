"""What a list of sessions is asked for beyond Livy's `from` and `size`: additions to the protocol."""

from dataclasses import dataclass

from starlette.requests import Request

from headland.jobs.batches.listing import newest_first, text_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sessions a list has, and in what order. The default is Livy's: all, oldest first."""

    #: What the name has somewhere, in capitals or not.
    name_part: str | None = None
    newest_first: bool = False


def wanted_of(request: Request) -> Wanted:
    """What the query asks for.

    Raises:
        BadParameterError: a parameter has a value that it can't have.
    """
    return Wanted(text_of(request, "nameContains"), newest_first(request))
