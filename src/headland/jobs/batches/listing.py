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
    #: What the name has somewhere, in capitals or not.
    name_part: str | None = None
    newest_first: bool = False

    @property
    def all(self) -> bool:
        """Whether nothing is filtered out."""
        return self == Wanted(newest_first=self.newest_first)


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
        owner=text_of(request, "owner"),
        name=text_of(request, "name"),
        name_part=text_of(request, "nameContains"),
        newest_first=newest_first(request),
    )


#: What `include` may name.
TIMES, PROGRESS = "times", "progress"
INCLUDABLE = (TIMES, PROGRESS)


def included_of(request: Request) -> frozenset[str]:
    """What records are to have beside Livy's members; nothing unless it is asked for, since Livy's own client takes
    no member that it does not know. Several have commas between.

    Raises:
        BadParameterError: there is no such member.
    """
    if is_plain(request):
        return frozenset()
    named = [text.strip() for given in request.query_params.getlist("include") for text in given.split(",")]
    for text in named:
        if text not in INCLUDABLE:
            raise BadParameterError("include", f"'{text[:80]}' is none; there are {', '.join(INCLUDABLE)}")
    return frozenset(named)


def _state(text: str) -> State:
    try:
        return State(text)
    except ValueError:
        raise BadParameterError("state", f"'{text[:80]}' is none; batches are {', '.join(State)}") from None


def text_of(request: Request, parameter: str) -> str | None:
    """A parameter's text; None where it is not given.

    Raises:
        BadParameterError: it is empty.
    """
    text: str | None = request.query_params.get(parameter)
    if text == "":
        raise BadParameterError(parameter, "is empty")
    return text


def newest_first(request: Request) -> bool:
    """Whether a list is to begin with the newest, as Livy reads the `order` of statements.

    Raises:
        BadParameterError: it is neither order.
    """
    text: str = request.query_params.get("order", "asc")
    try:
        return _ORDERS[text.strip().lower()]
    except KeyError:
        raise BadParameterError("order", f"'{text[:80]}' is neither 'asc' nor 'desc'") from None
