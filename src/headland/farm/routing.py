"""Look operations up by path, segment by segment: what that costs does not grow with the catalogue."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException

from headland.http.operations import Handler, Operation

_PARAMETER = re.compile(r"{(\w+)}")


@dataclass(slots=True)
class _Node:
    """What there is below some segments."""

    fixed: "dict[str, _Node]" = field(default_factory=dict)
    any: "_Node | None" = None
    #: Operations by method, where a path ends here.
    found: "dict[str, Found]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """An operation that a path leads to."""

    handler: Handler
    #: The path as declared.
    path: str
    #: Names of the parameters, in the order of the path.
    parameters: tuple[str, ...]


def _reach(node: _Node, segments: list[str], start: int) -> tuple[_Node, list[str]] | None:
    """Where segments lead that begin at `start`, and which of them are parameters."""
    values: list[str] = []
    for number in range(start, len(segments)):
        segment = segments[number]
        below = node.fixed.get(segment)
        if below is None:
            below = node.any
            values.append(segment)
        elif node.any is not None:
            reached = _reach(below, segments, number + 1)
            if reached is not None:
                return reached[0], values + reached[1]
            # The word does not lead on: then it stands for an id.
            below = node.any
            values.append(segment)
        if below is None or not segment:
            return None
        node = below
    return (node, values) if node.found else None


class Routes:
    """A tree of the segments of declared paths. Fixed segments go before parameters; each parameter is a whole
    segment.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            self._add(operation)

    def find(self, method: str, segments: list[str]) -> tuple[Found, dict[str, str]]:
        """The operation on a path, and its parameters. HEAD is answered by GET's.

        Raises:
            HTTPException: 404, or 405 with what is allowed.
        """
        reached = _reach(self._root, segments, 0)
        if reached is None:
            raise HTTPException(404)
        node, values = reached
        found = node.found.get("GET" if method == "HEAD" else method)
        if found is None:
            raise HTTPException(405, headers={"allow": ", ".join(sorted(node.found))})
        return found, dict(zip(found.parameters, values, strict=True))

    def _add(self, operation: Operation) -> None:
        node = self._root
        for segment in operation.path.split("/")[1:]:
            if _PARAMETER.fullmatch(segment):
                node.any = node.any or _Node()
                node = node.any
            else:
                node = node.fixed.setdefault(segment, _Node())
        node.found[operation.method] = Found(
            operation.handler, operation.path, tuple(_PARAMETER.findall(operation.path))
        )
