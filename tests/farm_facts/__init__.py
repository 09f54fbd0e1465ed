"""What is known of the public service's paths and schemas, by version: tables, and nothing of Headland's.

Versions are named by letters, as `headland.farm.versions` names them. In `query`, `*` marks what is required, `[]`
what may be repeated, `:num`, `:int`, `:dt` and `:bool` the type, and `<P>` the two parameters of paging.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class KnownOperation:
    """A method on a path, in one version."""

    method: str
    path: str
    #: Name of the body's schema, or what is known of its form.
    body: str | None
    #: As in `200 Farm` or `204`.
    success: str
    #: Names of query parameters, without those of paging and `api-version`.
    query: frozenset[str]
    #: Whether it takes the parameters of paging.
    paged: bool


@dataclass(frozen=True)
class KnownMember:
    """A member of a schema, in one version."""

    name: str
    type: str
    read_only: bool
    required: bool
    #: `minLen`, `maxLen`, `enum` and others.
    rules: dict[str, str]


_ENVELOPE = (
    ("id", "string", True, "A-G", {}),
    ("eTag", "string", True, "A-G", {}),
    ("status", "string", False, "A-G", {"maxLen": "100"}),
    ("createdDateTime", "datetime", True, "A-G", {}),
    ("modifiedDateTime", "datetime", True, "A-G", {}),
    ("source", "string", False, "B-G", {"minLen": "2", "maxLen": "100"}),
    ("name", "string", False, "A-G", {"maxLen": "100"}),
    ("description", "string", False, "A-G", {"maxLen": "500"}),
    ("createdBy", "string", True, "C-G", {}),
    ("modifiedBy", "string", True, "C-G", {}),
    ("properties", "object", False, "A-G", {}),
)
#: Version A has `source` in these alone.
_SOURCE_IN_A = {"ApplicationData", "HarvestData", "PlantingData", "TillageData"}


def known_operations(letter: str) -> Iterator[KnownOperation]:
    """All of one version, by its own names."""
    for row in json.loads((_HERE / "paths.json").read_text()):
        if letter not in row["versions"]:
            continue
        query = _of(row["query"], letter) or []
        names = {_named(re.split(r"[*\[:]", each)[0], letter) for each in query} - {"<P>"}
        body = _of(row["body"], letter)
        success = _of(row["success"], letter)
        yield KnownOperation(
            row["method"], _named(row["path"], letter), body, success, frozenset(names), "<P>" in query
        )


def known_members(schema: str, letter: str) -> dict[str, KnownMember] | None:
    """Of a schema in one version, by name; None where the version has none of this name."""
    found = _schemas().get(schema)
    if found is None or letter not in found["versions"]:
        return None
    members = {}
    if found["envelope"]:
        for name, kind, read_only, letters, rules in _ENVELOPE:
            there = _range(letters) + ("A" if name == "source" and schema in _SOURCE_IN_A else "")
            if letter in there and name not in found["without"]:
                members[name] = KnownMember(name, kind, read_only, False, dict(rules))
    for each in found["members"]:
        if letter in each["versions"]:
            rules = dict(
                re.findall(r"(minLen|maxLen|enum|default|minimum|maximum)[ =]([^ ]+)", each["rules"])
            )
            members[each["name"]] = KnownMember(
                each["name"], each["type"], "RO" in each["rules"].split(), each["required"], rules
            )
    return members


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_HERE / "schemas.json").read_text())
    return found


def _range(letters: str) -> str:
    first, last = letters.split("-")
    return "ABCDEFG"["ABCDEFG".index(first) : "ABCDEFG".index(last) + 1]


def _of(by_letters: dict[str, Any], letter: str) -> Any:
    return next((value for letters, value in by_letters.items() if letter in letters), None)


def _named(text: str, letter: str) -> str:
    """The tables are written in the words of later versions."""
    if letter not in "AB":
        return text
    return text.replace("parties", "farmers").replace("partyId", "farmerId").replace("PartyId", "FarmerId")
