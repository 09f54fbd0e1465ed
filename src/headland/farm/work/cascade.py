"""Cascade deletion as work: a document goes with all that is linked to it, for everybody at once.

What goes is noted, some of it at a time; it is hidden in the transaction that ends the job; and after that its rows
are removed, some of them at a time.
"""

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from sqlalchemy import Connection

from headland.farm.catalogue import BY_NAME, PARTIES, Family
from headland.farm.documents import closure
from headland.farm.documents.clearing import clear
from headland.farm.documents.closure import Counts, Position
from headland.farm.documents.rows import Key
from headland.farm.work.kinds import Kind, LastStep
from headland.farm.work.turns import Turns


class CascadeDelete(Struct, frozen=True):
    """Which document goes."""

    family: str
    party: str
    id: str
    within: str = ""

    @property
    def key(self) -> Key:
        return Key(self.party, self.id, self.within)


def _run(turns: Turns, wanted: CascadeDelete) -> LastStep:
    family, key = BY_NAME[wanted.family], wanted.key
    turns.take(lambda connection: closure.forget_others(connection, family, key))
    _clear(turns)
    hide = _hide_party(turns, key.id) if family is PARTIES else _hide_linked(turns, family, key)

    def end(connection: Connection) -> str:
        counts = hide(connection)
        what = f"{family.kind.usual} '{key.id}'"
        return (
            f"Deleted {what}{_linked(counts, family)}."
            if any(counts.values())
            else f"{what} was not there any more."
        )

    return end


def _hide_party(turns: Turns, party: str) -> Callable[[Connection], Counts]:
    before = turns.store.read(lambda connection: closure.extents(connection, party))
    return lambda connection: closure.hide_party(connection, party, before)


def _hide_linked(turns: Turns, family: Family, key: Key) -> Callable[[Connection], Counts]:
    if not turns.take(lambda connection: closure.begin(connection, family, key)):
        return lambda _connection: {}
    position: Position | None = Position()
    while position is not None:
        position = turns.take(partial(closure.trace, position=position))
    counts = turns.store.read(closure.noted)

    def hide(connection: Connection) -> Counts:
        closure.hide_noted(connection)
        return counts

    return hide


def _linked(counts: Counts, own: Family) -> str:
    """What went beside the document itself."""
    others = {family.kind.usual: count - (family is own) for family, count in counts.items()}
    shown = [f"{count} {kind}" for kind, count in others.items() if count]
    return f" and what was linked to it: {', '.join(shown)}" if shown else "; nothing was linked to it"


def _clear(turns: Turns) -> None:
    while turns.take(clear):
        pass


CASCADE_DELETE = Kind("cascade-delete", CascadeDelete, _run, abandon=closure.forget, clear=_clear)
