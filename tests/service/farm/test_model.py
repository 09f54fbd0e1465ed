"""Random sequences of operations, beside a model of the service that is a dictionary.

`FARM_MODEL_EXAMPLES` has more sequences tried, each time others: those of each run of the tests are always the same.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.service.farm.conftest import PUBLIC_URL, Caller, Clock, Directory

from headland.farm import Pending, Shelf, Stores, Worker
from headland.farm.documents import clearing, closure
from headland.farm.documents.hiding import under_way

EXAMPLES = int(os.environ.get("FARM_MODEL_EXAMPLES", "0"))

#: Each family, and by which member it refers to which others.
LINKS: dict[str, dict[str, str]] = {
    "parties": {},
    "seasons": {},
    "farms": {},
    "fields": {"farmId": "farms"},
    "seasonal-fields": {"farmId": "farms", "fieldId": "fields"},
}
#: The segment of a cascade's path, and what its document is called in it.
CASCADES = {
    "parties": "partyId",
    "farms": "farmId",
    "fields": "fieldId",
    "seasonal-fields": "seasonalFieldId",
}
STAMPS = {"eTag", "createdDateTime", "modifiedDateTime", "createdBy", "modifiedBy"}

Document = dict[str, Any]


@dataclass(frozen=True)
class Key:
    """A document: its family, party and id."""

    family: str
    party: str
    id: str

    @property
    def path(self) -> str:
        own = f"/{self.family}/{self.id}"
        return f"/parties/{self.party}{own}" if self.party else own


class Model:
    """What the service should have: documents without stamps, in the order in which they were made."""

    def __init__(self) -> None:
        self.documents: dict[Key, Document] = {}

    def write(self, key: Key, patch: Document) -> int:
        if key.party and Key("parties", "", key.party) not in self.documents:
            return 404
        for link, to in LINKS[key.family].items():
            if patch.get(link) is not None and Key(to, key.party, patch[link]) not in self.documents:
                return 404
        status = 200 if key in self.documents else 201
        named = {"id": key.id} | ({"partyId": key.party} if key.party else {})
        merge(self.documents.setdefault(key, named), patch)
        return status

    def users(self, key: Key) -> list[Key]:
        """Documents that are linked to one."""
        return [
            other
            for other, document in self.documents.items()
            if (key.family == "parties" and other.party == key.id)
            or (other.party == key.party and _links(other, document, key))
        ]

    def delete(self, key: Key) -> int:
        if key in self.documents and self.users(key):
            return 409
        self.documents.pop(key, None)
        return 204

    def cascade(self, key: Key) -> None:
        for other in self.users(key):
            self.cascade(other)
        self.documents.pop(key, None)

    def listed(self, family: str, party: str | None) -> list[Document]:
        return [
            document
            for key, document in self.documents.items()
            if key.family == family and party in {None, key.party}
        ]


def _links(other: Key, document: Document, key: Key) -> bool:
    return any(document.get(link) == key.id for link, to in LINKS[other.family].items() if to == key.family)


def merge(target: Document, patch: Document) -> None:
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict):
            merge(target.setdefault(name, {}), value)
        else:
            target[name] = value


@st.composite
def keys(draw: st.DrawFn, families: tuple[str, ...] = tuple(LINKS)) -> Key:
    family = draw(st.sampled_from(families))
    party = "" if family in {"parties", "seasons"} else draw(st.sampled_from(["a1", "a2"]))
    return Key(family, party, draw(st.sampled_from(["a1", "a2", "a3"])))


@st.composite
def patches(draw: st.DrawFn, family: str) -> Document:
    bags = st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from([1, 2.5, "z", None]))
    members = {
        "name": st.sampled_from(["north", "south", None]),
        "status": st.sampled_from(["on", "", None]),
        "properties": st.none() | bags,
        **{link: st.sampled_from(["a1", "a2", None]) for link in LINKS[family]},
    }
    if family == "seasons":
        members["year"] = st.sampled_from([2025, 2026, None])
    return draw(st.fixed_dictionaries({}, optional=members))


@st.composite
def written(draw: st.DrawFn) -> tuple[Key, Document]:
    key = draw(keys())
    return key, draw(patches(key.family))


CONDITIONS = st.sampled_from([None, None, None, "right", "stale", "exists", "new"])
OPERATIONS = st.one_of(
    st.tuples(st.just("write"), written(), CONDITIONS),
    st.tuples(st.just("write"), written(), st.none()),
    st.tuples(st.just("delete"), keys(), CONDITIONS),
    st.tuples(st.just("lists"), st.sampled_from(list(LINKS)), st.sampled_from([None, "a1", "a2"])),
    st.tuples(st.just("cascade"), keys(tuple(CASCADES)), st.booleans()),
    st.tuples(st.just("bring"), st.lists(written(), max_size=5), st.none()),
    st.tuples(st.just("export"), st.none(), st.none()),
)


class KilledError(BaseException):
    """Stands for the end of a process."""


@dataclass
class Killing:
    """What a worker does when it rests: it dies, if it is to, as soon as a cascade has hidden what it takes away."""

    stores: Stores
    key: str = ""
    armed: bool = False

    def __call__(self, _seconds: float) -> None:
        cascade = self.stores.open(self.key).read(under_way)
        if self.armed and cascade is not None and cascade.effective:
            raise KilledError


@dataclass
class Play:
    """A sequence of operations on an instance of its own."""

    caller: Caller
    worker: Worker
    clock: Clock
    killing: Killing
    model: Model = field(default_factory=Model)
    etags: dict[Key, str] = field(default_factory=dict)
    jobs: Any = field(default_factory=count)

    async def go(self, operations: list[Any]) -> None:
        # Most operations need a party.
        await self.write((Key("parties", "", "a1"), {}), None)
        for name, *arguments in operations:
            await getattr(self, name)(*arguments)
        await self.export()

    def _condition(self, key: Key, kind: str | None) -> tuple[dict[str, str], bool]:
        """Headers, and whether what they say holds."""
        there = key in self.model.documents
        headers, holds = {
            None: ({}, True),
            "right": ({"if-match": self.etags.get(key, "none")}, there),
            "stale": ({"if-match": "00000000-0000-0000-0000-000000000000"}, False),
            "exists": ({"if-match": "*"}, there),
            "new": ({"if-none-match": "*"}, not there),
        }[kind]
        return headers, holds

    async def write(self, wanted: tuple[Key, Document], condition: str | None) -> None:
        key, patch = wanted
        headers, holds = self._condition(key, condition)
        answer = await self.caller("PATCH", key.path, json=patch, headers=headers)
        expected = self.model.write(key, patch) if holds else 412
        assert answer.status_code == expected, (wanted, condition, answer.text)
        if expected in {200, 201}:
            assert answer.json()["eTag"] != self.etags.get(key)
            self.etags[key] = answer.json()["eTag"]
        await self.read(key)

    async def read(self, key: Key) -> None:
        answer = await self.caller("GET", key.path)
        found = self.model.documents.get(key)
        assert answer.status_code == (404 if found is None else 200)
        if found is not None:
            assert plain(answer.json()) == found
            assert answer.headers["etag"] == self.etags[key]
            known = {"if-none-match": self.etags[key]}
            assert (await self.caller("GET", key.path, headers=known)).status_code == 304

    async def delete(self, key: Key, condition: str | None) -> None:
        headers, holds = self._condition(key, condition)
        answer = await self.caller("DELETE", key.path, headers=headers)
        assert answer.status_code == (self.model.delete(key) if holds else 412), (key, condition, answer.text)
        await self.read(key)

    async def cascade(self, key: Key, killed: bool) -> None:
        self.clock.now += 1
        path = f"/{key.family}/cascade-delete/job-{next(self.jobs)}"
        names = {CASCADES[key.family]: key.id} | ({"partyId": key.party} if key.party else {})
        started = await self.caller("PUT", path, params=names)
        assert started.status_code == (202 if key in self.model.documents else 404), started.text
        if key not in self.model.documents:
            return
        self.killing.armed = killed
        with contextlib.suppress(KilledError):
            self.worker.work()
        job = (await self.caller("GET", path)).json()
        assert job["status"] == "Succeeded", job
        self.model.cascade(key)
        await self.read(key)

    async def lists(self, family: str, party: str | None) -> None:
        party = None if family in {"parties", "seasons"} else party
        path = f"/parties/{party}/{family}" if party else f"/{family}"
        listed = self.model.listed(family, party)
        assert await self._all(path, {}) == listed
        for name, value in {
            "names": "north",
            "statuses": "on",
            "ids": "a2",
            **dict.fromkeys(map(_filter, LINKS[family]), "a1"),
        }.items():
            member = {"names": "name", "statuses": "status", "ids": "id"}.get(name, name.removesuffix("s"))
            assert await self._all(path, {name: value}) == [
                each for each in listed if each.get(member) == value
            ]

    async def _all(self, path: str, params: dict[str, str]) -> list[Document]:
        answer = await self.caller("GET", path, params={**params, "maxPageSize": "10"})
        found = []
        while True:
            page = answer.json()
            found += map(plain, page["value"])
            if "nextLink" not in page:
                return found
            answer = await self.caller.follow(page["nextLink"])

    async def bring(self, lines: list[tuple[Key, Document]], _: None) -> None:
        records = []
        for key, patch in lines:
            named = {"id": key.id} | ({"partyId": key.party} if key.party else {})
            records.append(json.dumps({"family": key.family, "document": {**patch, **named}}))
        headers = {"content-type": "application/x-ndjson"}
        answer = await self.caller("POST", "/bulk", content="\n".join(records).encode(), headers=headers)
        done = json.loads(answer.text.splitlines()[-1])
        statuses = [self.model.write(key, patch) for key, patch in lines]
        told = [done["created"], done["updated"], done["refused"]]
        assert told == [statuses.count(status) for status in (201, 200, 404)], answer.text
        for key in {key for key, _ in lines}:
            answer = await self.caller("GET", key.path)
            if answer.status_code == 200:
                self.etags[key] = answer.json()["eTag"]
            await self.read(key)

    async def export(self, *_: None) -> None:
        taken = [json.loads(line) for line in (await self.caller("GET", "/bulk")).text.splitlines()]
        for family in LINKS:
            found = [plain(each["document"]) for each in taken if each["family"] == family]
            assert found == self.model.listed(family, None)


def _filter(link: str) -> str:
    return f"{link}s"


def plain(document: Document) -> Document:
    return {name: value for name, value in document.items() if name not in STAMPS}


@pytest.mark.timeout(3600 if EXAMPLES else 240)
def test_the_service_and_a_model_agree(
    caller: Callable[..., Caller],
    directory: Directory,
    stores: Stores,
    shelf: Shelf,
    pending: Pending,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers, killing = count(), Killing(stores)
    worker = Worker(pending, Stores(shelf), clock=clock, rest=killing)
    for module, limit in ((closure, "MOST_NOTED"), (closure, "MOST_FOLLOWED"), (clearing, "MOST_REMOVED")):
        monkeypatch.setattr(module, limit, 1)

    @settings(
        max_examples=EXAMPLES or 8,
        derandomize=not EXAMPLES,
        database=None,
        phases=[Phase.generate] if not EXAMPLES else list(Phase)[:-1],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(OPERATIONS, min_size=10, max_size=30))
    def agree(operations: list[Any]) -> None:
        name = f"example-{next(numbers)}"
        directory.make(name, stores)
        directory.assign("admin", "admin", name)
        killing.key = directory.instances[name].store_key
        play = Play(caller(base=f"{PUBLIC_URL}/farm/{name}"), worker, clock, killing)
        asyncio.run(play.go(operations))

    agree()
