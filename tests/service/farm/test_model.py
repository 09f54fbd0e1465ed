"""Random operations, one after the other, beside a model of the service in a few lines."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.service.farm.conftest import Caller

from headland.farm import Worker

pytestmark = pytest.mark.anyio

FAMILIES = ("parties", "farms", "fields", "seasonal-fields", "seasons")
#: Members by which a family refers to others.
LINKS = {"fields": {"farmId": "farms"}, "seasonal-fields": {"farmId": "farms", "fieldId": "fields"}}
#: What a cascade's parameters call the ids of documents.
CASCADES = {
    "parties": "partyId",
    "farms": "farmId",
    "fields": "fieldId",
    "seasonal-fields": "seasonalFieldId",
}
STAMPS = {"eTag", "createdDateTime", "modifiedDateTime", "createdBy", "modifiedBy"}

Key = tuple[str, str, str]


class Model:
    """What the service should have: documents without stamps, in the order in which they were made."""

    def __init__(self) -> None:
        self.documents: dict[Key, dict[str, Any]] = {}

    def write(self, key: Key, patch: dict[str, Any]) -> int:
        _, party, name = key
        if party and ("parties", "", party) not in self.documents:
            return 404
        status = 200 if key in self.documents else 201
        document = self.documents.setdefault(key, {"id": name} | ({"partyId": party} if party else {}))
        _merge(document, patch)
        return status

    def delete(self, key: Key) -> int:
        family, party, name = key
        if key not in self.documents:
            return 204
        for other, document in self.documents.items():
            if family == "parties" and other[1] == name:
                return 409
            links = LINKS.get(other[0], {}).items()
            if other[1] == party and any(to == family and document.get(link) == name for link, to in links):
                return 409
        del self.documents[key]
        return 204

    def cascade(self, key: Key) -> int:
        """The document goes, and whatever is linked to what goes."""
        if key not in self.documents:
            return 404
        going = {key}
        while linked := {each for each in self.documents.keys() - going if self._is_linked(each, going)}:
            going |= linked
        for each in going:
            del self.documents[each]
        return 202

    def _is_linked(self, key: Key, going: set[Key]) -> bool:
        family, party, _ = key
        links = LINKS.get(family, {}).items()
        named = {(to, party, self.documents[key].get(link)) for link, to in links}
        return ("parties", "", party) in going or bool(named & going)

    def listed(self, family: str, party: str | None, wanted: Callable[[dict[str, Any]], bool]) -> list[Any]:
        return [
            document
            for key, document in self.documents.items()
            if key[0] == family and party in {None, key[1]} and wanted(document)
        ]


def _merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict):
            _merge(target.setdefault(name, {}), value)
        else:
            target[name] = value


def path_of(key: Key) -> str:
    family, party, name = key
    return f"/parties/{party}/{family}/{name}" if party else f"/{family}/{name}"


async def cascade(admin: Caller, key: Key, job: str) -> httpx.Response:
    family, party, name = key
    names = {"partyId": party, CASCADES[family]: name} if party else {CASCADES[family]: name}
    return await admin("PUT", f"/{family}/cascade-delete/{job}", params=names)


def random_key(dice: random.Random) -> Key:
    family = dice.choice(FAMILIES)
    party = "" if family in {"parties", "seasons"} else dice.choice(("a1", "a2"))
    return family, party, dice.choice(("a1", "a2", "a3"))


def random_patch(dice: random.Random, family: str) -> dict[str, Any]:
    members: dict[str, Any] = {
        "name": dice.choice(("north", "south", None)),
        "status": dice.choice(("on", "", None)),
        "properties": dice.choice(({"x": 1}, {"x": None, "y": "z"}, {}, None)),
        **{link: dice.choice(("a1", "a2", None)) for link in LINKS.get(family, ())},
    }
    if family == "seasons":
        members["year"] = dice.choice((2025, 2026, None))
    return {name: value for name, value in members.items() if dice.random() < 0.5}


async def compare_lists(admin: Caller, model: Model, dice: random.Random) -> None:
    family = dice.choice(FAMILIES)
    party = (
        dice.choice(("a1", "a2")) if family not in {"parties", "seasons"} and dice.random() < 0.5 else None
    )
    names = dice.sample(("north", "south"), dice.randint(0, 2))
    links = {link: dice.choice(("a1", "a2")) for link in LINKS.get(family, ()) if dice.random() < 0.5}
    params = ({"names": names} if names else {}) | {f"{link}s": value for link, value in links.items()}

    def wanted(document: dict[str, Any]) -> bool:
        linked = all(document.get(link) == value for link, value in links.items())
        return linked and (not names or document.get("name") in names)

    answer = await admin("GET", f"/parties/{party}/{family}" if party else f"/{family}", params=params)
    shown = [{n: v for n, v in each.items() if n not in STAMPS} for each in answer.json()["value"]]
    assert shown == model.listed(family, party, wanted), (family, party, params)


@pytest.mark.parametrize("seed", range(6))
async def test_the_service_and_a_model_agree(admin: Caller, worker: Worker, seed: int) -> None:
    dice, model = random.Random(seed), Model()
    for number in range(150):
        key = random_key(dice)
        if key[0] in CASCADES and dice.random() < 0.08:
            answer = await cascade(admin, key, f"job-{number}")
            assert answer.status_code == model.cascade(key), (key, answer.text)
            await asyncio.to_thread(worker.work)
        elif dice.random() < 0.6:
            patch = random_patch(dice, key[0])
            answer = await admin("PATCH", path_of(key), json=patch)
            assert answer.status_code == model.write(key, patch), (key, patch, answer.text)
        elif dice.random() < 0.6:
            answer = await admin("DELETE", path_of(key))
            assert answer.status_code == model.delete(key), (key, answer.text)
        else:
            await compare_lists(admin, model, dice)
        answer = await admin("GET", path_of(key))
        found = model.documents.get(key)
        assert answer.status_code == (404 if found is None else 200)
        if found is not None:
            assert {n: v for n, v in answer.json().items() if n not in STAMPS} == found
