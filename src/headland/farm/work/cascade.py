"""Cascade deletion as work: a document goes with all that is linked to it, in the transaction that ends the job.

Which documents these are follows from the references that the catalogue declares.
"""

from msgspec import Struct
from sqlalchemy import Connection

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.documents.closure import Counts, delete_with_linked
from headland.farm.documents.rows import Key
from headland.farm.stores import Store
from headland.farm.work.kinds import Kind, LastStep

_BY_NAME = {family.name: family for family in FAMILIES}


class CascadeDelete(Struct, frozen=True):
    """Which document goes."""

    family: str
    party: str
    id: str
    within: str = ""

    @property
    def key(self) -> Key:
        return Key(self.party, self.id, self.within)


def _run(_store: Store, wanted: CascadeDelete) -> LastStep:
    family = _BY_NAME[wanted.family]

    def delete(connection: Connection) -> str:
        counts = delete_with_linked(connection, family, wanted.key)
        what = f"{family.kind.usual} '{wanted.id}'"
        return (
            f"Deleted {what}{_linked(counts, family)}."
            if any(counts.values())
            else f"{what} was not there any more."
        )

    return delete


def _linked(counts: Counts, own: Family) -> str:
    """What went beside the document itself."""
    others = {family.kind.usual: count - (family is own) for family, count in counts.items()}
    shown = [f"{count} {kind}" for kind, count in others.items() if count]
    return f" and what was linked to it: {', '.join(shown)}" if shown else "; nothing was linked to it"


CASCADE_DELETE = Kind("cascade-delete", CascadeDelete, _run)
