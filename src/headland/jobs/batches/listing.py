"""What a list of batches is asked for beyond Livy's `from` and `size`: additions to the protocol."""

from dataclasses import dataclass

from starlette.requests import Request

from headland.jobs.batches.errors import BadParameterError
from headland.jobs.batches.requests import is_plain
from headland.jobs.batches.states import State

_ORDERS = {"asc": False, "desc": True}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which batches a list has, and in what order. The default is Livy's: all, oldest first."""

    #: Empty for any.
    states: tuple[State, ...] = ()
    #: A client id.
    owner: str | None = None
    name: str | None = None
    newest_first: bool = False

    @property
    def all(self) -> bool:
        """Whether nothing is filtered out."""
        return not self.states and self.owner is None and self.name is None


EVERYTHING = Wanted()


def wanted_of(request: Request) -> Wanted:
    """What the query asks for. `state` may have several, with commas between or named again and again.

    Raises:
        BadParameterError: a parameter has a value that it can't have.
    """
    if is_plain(request):
        return EVERYTHING
    query = request.query_params
    given = ",".join(query.getlist("state")) if "state" in query else None
    return Wanted(
        states=() if given is None else tuple(_state(text.strip()) for text in given.split(",")),
        owner=_text("owner", query.get("owner")),
        name=_text("name", query.get("name")),
        newest_first=_newest_first(query.get("order", "asc")),
    )


def _state(text: str) -> State:
    try:
        return State(text)
    except ValueError:
        raise BadParameterError("state", f"'{text[:80]}' is none; batches are {', '.join(State)}") from None


def _text(parameter: str, text: str | None) -> str | None:
    if text == "":
        raise BadParameterError(parameter, "is empty")
    return text


def _newest_first(text: str) -> bool:
    # As Livy reads the `order` of statements.
    try:
        return _ORDERS[text.strip().lower()]
    except KeyError:
        raise BadParameterError("order", f"'{text[:80]}' is neither 'asc' nor 'desc'") from None
