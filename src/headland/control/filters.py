"""`$filter`: the part of OData that Azure Resource Manager's lists take.

filter     = comparison *( ("and" / "or") comparison )     "and" binds closer
comparison = name ("eq" / "ne") text  /  function
function   = name "(" [ argument *( "," argument ) ] ")"
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from headland.control.errors import InvalidFilterError

_TOKEN: Final = re.compile(r"\s*(?:'((?:[^']|'')*)'|([A-Za-z_][\w./-]*)|([(),]))")
LONGEST: Final = 4096
_TAGS: Final = frozenset({"tagname", "tagvalue"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`name eq 'text'`, or `ne`."""

    name: str
    equal: bool
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """`function(argument, …)`."""

    name: str
    arguments: tuple[str, ...]


Term = Comparison | Call
#: Alternatives, of each of which all terms hold.
Filter = Sequence[Sequence[Term]]


def parse(text: str) -> Filter:
    """What a filter says; names are in lower case.

    Raises:
        InvalidFilterError: it can't be read.
    """
    reader = _Reader(text)
    alternatives: list[list[Term]] = [[reader.term()]]
    while (word := reader.take()) is not None:
        if word == ("name", "or"):
            alternatives.append([])
        elif word != ("name", "and"):
            raise InvalidFilterError(text, "'and' or 'or' is expected between two conditions")
        alternatives[-1].append(reader.term())
    return alternatives


@dataclass(frozen=True, slots=True)
class Filters(Generic[T]):
    """What a list can be filtered by; names are in lower case."""

    #: By name: what of an item a text is compared with, in whatever case.
    values: Mapping[str, Callable[[T], str | None]]
    #: By name: whether the function holds of an item, by its arguments.
    functions: Mapping[str, Callable[[T, Sequence[str]], bool]] = field(default_factory=dict)
    #: An item's tags, where it can be filtered by them: `tagName` and `tagValue` are of one and the same tag.
    tags: Callable[[T], Mapping[str, str]] | None = None

    def select(self, items: Iterable[T], text: str | None) -> list[T]:
        """The items for which the filter `text` holds; all of them without one.

        Raises:
            InvalidFilterError: it can't be read, or names what can't be filtered by.
        """
        if not text:
            return list(items)
        parsed = parse(text)
        for alternative in parsed:
            for term in alternative:
                self._check(term, text)
        return [item for item in items if any(self._holds(item, terms) for terms in parsed)]

    def _check(self, term: Term, text: str) -> None:
        known = self.functions if isinstance(term, Call) else self.values
        tagged = self.tags is not None and isinstance(term, Comparison) and term.name in _TAGS
        if term.name not in known and not tagged:
            raise InvalidFilterError(text, f"this list can't be filtered by '{term.name}'")

    def _holds(self, item: T, terms: Sequence[Term]) -> bool:
        return self._tagged(item, terms) and all(
            self.functions[term.name](item, term.arguments)
            if isinstance(term, Call)
            else ((self.values[term.name](item) or "").lower() == term.text.lower()) == term.equal
            for term in terms
            if isinstance(term, Call) or term.name not in _TAGS
        )

    def _tagged(self, item: T, terms: Sequence[Term]) -> bool:
        wanted = [term for term in terms if isinstance(term, Comparison) and term.name in _TAGS]
        if not wanted or self.tags is None:
            return True
        return any(
            all(
                (name.lower() == term.text.lower() if term.name == "tagname" else value == term.text)
                == term.equal
                for term in wanted
            )
            for name, value in self.tags(item).items()
        )


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        if len(text) > LONGEST:
            raise InvalidFilterError(text[:40] + "…", f"it is longer than {LONGEST} characters")
        self._tokens = self._split()

    def _split(self) -> list[tuple[str, str]]:
        found, position = [], 0
        while self._text[position:].strip():
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise InvalidFilterError(
                    self._text, f"it can't be read from '{self._text[position:][:20]}' on"
                )
            quoted, name, mark = match.groups()
            if quoted is not None:
                found.append(("text", quoted.replace("''", "'")))
            elif name is not None:
                found.append(("name", name.lower()))
            else:
                found.append(("mark", mark))
            position = match.end()
        return found[::-1]

    def take(self) -> tuple[str, str] | None:
        return self._tokens.pop() if self._tokens else None

    def _expect(self, kind: str, what: str) -> str:
        token = self.take()
        if token is None or token[0] != kind:
            raise InvalidFilterError(self._text, f"{what} is expected")
        return token[1]

    def term(self) -> Term:
        name = self._expect("name", "a name")
        operator = self.take()
        if operator in {("name", "eq"), ("name", "ne")}:
            return Comparison(
                name, operator == ("name", "eq"), self._expect("text", "a text in single quotes")
            )
        if operator == ("mark", "("):
            return Call(name, self._arguments())
        raise InvalidFilterError(self._text, f"'eq' or 'ne' is expected after '{name}'")

    def _arguments(self) -> tuple[str, ...]:
        found: list[str] = []
        while (token := self.take()) != ("mark", ")"):
            if token is None:
                raise InvalidFilterError(self._text, "')' is missing")
            if token != ("mark", ","):
                found.append(token[1])
        return tuple(found)
