"""Random operations, one after the other, beside a model of the service in a few lines."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.service.farm.conftest import Caller

pytestmark = pytest.mark.anyio

FAMILIES = ("parties", "farms", "fields", "seasonal-fields", "seasons")
#: Members by which a family refers to others.
LINKS = {"fields": {"farmId": "farms"}, "seasonal-fields": {"farmId": "farms", "fieldId": "fields"}}
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
async def test_the_service_and_a_model_agree(admin: Caller, seed: int) -> None:
    dice, model = random.Random(seed), Model()
    for _ in range(150):
        key = random_key(dice)
        if dice.random() < 0.6:
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
