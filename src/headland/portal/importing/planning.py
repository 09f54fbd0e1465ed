"""What bringing a file in would make: a boundary of each outline, and why some are refused."""

import json
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from headland.farm.documents.documents import check_id
from headland.farm.errors import FarmError
from headland.farm.geometry import Limits, Placed, checked
from headland.farm.geometry.reading import is_light, typed
from headland.farm.isolation.tasks import Measure, Measured
from headland.farm.isolation.workers import Worker
from headland.http.validation import BodyInvalidError
from headland.portal.importing.features import Feature

#: Properties that usually say what is wanted.
_USUAL_IDS = ("id", "boundaryid", "boundary_id", "fieldid", "field_id")
_USUAL_NAMES = ("name", "fieldname", "field_name", "label", "title")

#: Of ids that are made of outlines.
_SPACE = uuid.UUID("1b7ad9a6-8f2a-5d0e-9f6a-1f2f6c0c5a4e")


@dataclass(frozen=True, slots=True)
class Choice:
    """How a file is to be taken."""

    #: Properties of which ids and names are; "" for none.
    id_property: str = ""
    name_property: str = ""
    #: Id of the field that the boundaries are of; "" for none.
    field: str = ""
    #: Whether a field is made for each.
    with_fields: bool = False
    #: Whether what is there already is changed, and not refused.
    changing: bool = False


@dataclass(slots=True)
class Planned:
    """What becomes of one outline."""

    #: Its place in the file, from 1.
    number: int
    id: str
    name: str
    #: JSON.
    geometry: bytes = b""
    acres: float = 0.0
    #: Why it is refused, or "".
    reason: str = ""


@dataclass(slots=True)
class Plan:
    """What becomes of a file."""

    rows: list[Planned] = field(default_factory=list)

    @property
    def taken(self) -> list[Planned]:
        return [row for row in self.rows if not row.reason]

    @property
    def refused(self) -> list[Planned]:
        return [row for row in self.rows if row.reason]

    def refuse_known(self, known: Collection[str]) -> None:
        """Refuse those of which there are boundaries with these ids already."""
        for row in self.taken:
            if row.id in known:
                row.reason = f"there is a boundary with the ID {row.id} already"


def property_names(features: Sequence[Feature], most: int) -> list[str]:
    """Of all features, in the order in which they come up; the first so many."""
    return list(islice(dict.fromkeys(name for feature in features for name in feature.properties), most))


def usual_choice(names: Sequence[str], field: str) -> Choice:
    """What is chosen as long as nobody has."""
    return Choice(_usual(names, _USUAL_IDS), _usual(names, _USUAL_NAMES), field)


def _usual(names: Sequence[str], usual: Sequence[str]) -> str:
    by_lower = {name.lower(): name for name in reversed(names)}
    return next((by_lower[name] for name in usual if name in by_lower), "")


def plan_of(features: Sequence[Feature], choice: Choice, party: str, limits: Limits) -> Plan:
    """What would be made, as far as can be seen without the instance's store."""
    # Started for the first outline that takes long, if there is one.
    with closing(Worker()) as worker:
        return _plan_of(features, choice, party, limits, worker)


def _plan_of(features: Sequence[Feature], choice: Choice, party: str, limits: Limits, worker: Worker) -> Plan:
    plan, seen = Plan(), dict[str, int]()
    for number, feature in enumerate(features, 1):
        row = _planned(number, feature, choice, party, limits, worker=worker)
        if not row.reason and row.id in seen:
            row.reason = f"outline {seen[row.id]} has the same ID"
        elif not row.reason:
            seen[row.id] = number
        plan.rows.append(row)
    return plan


def _planned(
    number: int, feature: Feature, choice: Choice, party: str, limits: Limits, *, worker: Worker
) -> Planned:
    id_ = feature.properties.get(choice.id_property, "").strip()
    name = feature.properties.get(choice.name_property, "").strip()
    row = Planned(number, id_, name)
    if feature.geometry is None or feature.geometry.get("type") not in {"Polygon", "MultiPolygon"}:
        row.reason = "it is no outline: Polygon or MultiPolygon"
        return row
    try:
        found = _placed(feature.geometry, limits, worker)
        if choice.id_property and not id_:
            row.reason = f"it has no {choice.id_property}"
            return row
        if not id_:
            text = json.dumps([party, feature.geometry], sort_keys=True)
            row.id = str(uuid.uuid5(_SPACE, text))
        check_id(choice.id_property, row.id)
    except BodyInvalidError as error:
        row.reason = error.reason
        return row
    except FarmError as error:
        row.reason = error.message.rstrip(".")
        return row
    row.name = name or row.id
    row.geometry, row.acres = msgspec.json.encode(found.geometry), found.acres
    return row


def _placed(value: object, limits: Limits, worker: Worker) -> Placed:
    geometry = typed(value, "")
    if is_light(geometry):
        return checked(geometry, "", limits)
    measured: Measured = worker.ask(Measure(msgspec.json.encode(geometry), "", limits), "geometry")
    return measured.placed()


def lines_of(plan: Plan, choice: Choice, party: str) -> Iterator[bytes]:
    """What the farm service takes: a record each, fields before their boundaries."""
    for row in plan.taken:
        of_field = row.id if choice.with_fields else choice.field
        if choice.with_fields:
            yield _record("fields", {"partyId": party, "id": row.id, "name": row.name})
        parent = {"parentId": of_field, "parentType": "Field"} if of_field else {}
        boundary = {"partyId": party, "id": row.id, "name": row.name, **parent}
        yield _record("boundaries", {**boundary, "geometry": msgspec.Raw(row.geometry)})


def _record(family: str, document: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"family": family, "document": document}) + b"\n"
