"""The authorization matrix: what each role may do with each operation, wherever it is held.

It is computed from the declarations of operations and roles alone. The page `docs/authorization.md` shows it,
and tests try every cell of it on the service.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from headland.control.actions import is_data_action
from headland.control.roles import ROLES, Role
from headland.http.operations import Operation

#: Where a role may be held, from above.
LEVELS: Final = ("root", "subscription", "group", "instance")


@dataclass(frozen=True, slots=True)
class Row:
    """An operation that roles decide about."""

    method: str
    path: str
    action: str
    #: Whether who may do it below what the path names gets what is its own.
    filtered: bool

    @property
    def data(self) -> bool:
        return is_data_action(self.action)

    @property
    def level(self) -> str:
        """The lowest level that its path names; what it names is below a role that is held there or above."""
        if self.data or "{farmBeatsResourceName}" in self.path or "{scope" in self.path:
            return "instance"
        if "{resourceGroupName}" in self.path:
            return "group"
        return "subscription" if "{subscriptionId}" in self.path else "root"


@dataclass(frozen=True, slots=True)
class Cell:
    """One decision."""

    row: Row
    role: Role
    #: Where the role is held.
    level: str
    #: Whether what the operation is about is in that scope, and not beside it.
    own: bool
    allowed: bool


def rows(operations: Iterable[Operation]) -> list[Row]:
    """The operations that roles decide about, in the order of their declarations."""
    return [
        Row(item.method, item.path, item.action, item.filtered)
        for item in operations
        if item.action is not None
    ]


def cells(operations: Iterable[Operation], roles: Sequence[Role] = ROLES) -> Iterator[Cell]:
    """Every operation by every role, held at every level, for what is in its scope and for what is not."""
    for row in rows(operations):
        for role in roles:
            for level in LEVELS:
                for own in (True, False):
                    covered = own and (row.filtered or LEVELS.index(level) <= LEVELS.index(row.level))
                    yield Cell(row, role, level, own, covered and role.allows(row.action, data=row.data))
