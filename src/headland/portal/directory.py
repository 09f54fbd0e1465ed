"""Whom roles can be given to: the tenant's applications and people, as far as somebody may look them up."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import Struct

from headland.portal.inside import Answered, Inside, RefusedError


class _Application(Struct, rename="camel"):
    object_id: str
    client_id: str
    name: str
    disabled: bool


class _Applications(Struct):
    applications: list[_Application]


class _Person(Struct, rename="camel"):
    object_id: str
    user_name: str
    name: str
    disabled: bool


class _People(Struct):
    people: list[_Person]


@dataclass(frozen=True, slots=True)
class Entry:
    """An application or a person."""

    object_id: str
    #: `Application` or `Person`.
    kind: str
    name: str
    #: Client id, or user name: names alone may be the same.
    also: str
    disabled: bool


class Directory:
    """All of them."""

    def __init__(self, entries: Iterable[Entry], *, whole: bool) -> None:
        self._entries = {entry.object_id: entry for entry in entries}
        self._by_also = {entry.also: entry for entry in self._entries.values()}
        #: Whether it has all there are: else nobody may be looked up but by id.
        self.whole = whole

    @classmethod
    async def of(cls, inside: Inside) -> "Directory":
        """What the person may see of it: administrators all, others nothing."""
        try:
            applications = await inside.call("GET", "/identity/applications")
            people = await inside.call("GET", "/identity/people")
        except RefusedError as error:
            if error.status == 403:
                return cls((), whole=False)
            raise
        # There may be ten thousand of each.
        return await asyncio.to_thread(cls._of, applications, people)

    @classmethod
    def _of(cls, applications: Answered, people: Answered) -> "Directory":
        entries = [
            Entry(each.object_id, "Application", each.name, each.client_id, each.disabled)
            for each in applications.of(_Applications).applications
        ]
        entries += [
            Entry(each.object_id, "Person", each.name, each.user_name, each.disabled)
            for each in people.of(_People).people
        ]
        return cls(sorted(entries, key=lambda entry: entry.name.casefold()), whole=True)

    def find(self, object_id: str | None) -> Entry | None:
        return self._entries.get(object_id or "")

    def name(self, id_: str | None) -> str:
        """What an object id, or a client id, is called; itself where nobody knows."""
        entry = self._entries.get(id_ or "") or self._by_also.get(id_ or "")
        return entry.name if entry is not None else id_ or ""

    def short(self, id_: str | None) -> str:
        """The same for lists, of which an id that nobody knows is not to take half."""
        name = self.name(id_)
        return f"{name[:8]}…" if name == id_ and len(name) > 30 else name

    def matching(self, text: str, most: int) -> list[Entry]:
        """Those whose name begins with the text, then those that have it in it; not those that are disabled."""
        wanted = text.strip().casefold()
        found = [
            entry
            for entry in self._entries.values()
            if not entry.disabled
            and (wanted in entry.name.casefold() or entry.also.casefold().startswith(wanted))
        ]
        found.sort(key=lambda entry: not entry.name.casefold().startswith(wanted))
        return found[:most]
