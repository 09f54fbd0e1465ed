"""What the fields of a wire type are for: the `#:` lines above them, which no schema has."""

import inspect
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from headland.http.openapi import Api

_NOTE = re.compile(r"\s+#: (.*)")
_FIELD = re.compile(r"\s+(\w+):")


def struct_types(apis: Iterable[Api]) -> dict[str, type]:
    """Every Struct that goes over HTTP, by the name its schema has."""
    found: dict[type, None] = {}
    for api in apis:
        for operation in api.operations:
            answers = [*operation.answers.values(), *api.errors.values()]
            for wanted in (operation.body, *(answer.body for answer in answers)):
                if isinstance(wanted, type):
                    _collect(msgspec.inspect.type_info(wanted), found)
    names = [found_type.__name__ for found_type in found]
    return {_schema_name(item, unique=names.count(item.__name__) == 1): item for item in found}


def notes(struct: type) -> dict[str, str]:
    """By the name that a field has over HTTP: what is said of it."""
    said: dict[str, str] = {}
    # The farm service makes a Struct for each version from one that is declared.
    for declared in reversed(getattr(struct, "declared", struct).__mro__):
        if declared.__module__.startswith("headland."):
            said |= _notes_in(_source(declared))
    return {
        field.encode_name: said[field.name] for field in msgspec.structs.fields(struct) if field.name in said
    }


def _source(declared: type) -> str:
    try:
        return inspect.getsource(declared)
    except OSError:
        # Made by a program, as the pages of the farm service's lists are.
        return ""


def _notes_in(source: str) -> dict[str, str]:
    found: dict[str, str] = {}
    lines: list[str] = []
    for line in source.splitlines():
        if note := _NOTE.match(line):
            lines.append(note[1])
        else:
            if lines and (field := _FIELD.match(line)):
                found[field[1]] = " ".join(lines)
            lines = []
    return found


def _schema_name(struct: type, *, unique: bool) -> str:
    module = struct.__module__.removeprefix("headland.").removesuffix(".wire")
    return struct.__name__ if unique else f"{module}.{struct.__name__}"


def _collect(info: Any, found: dict[type, None]) -> None:
    match info:
        case msgspec.inspect.StructType():
            if info.cls not in found:
                found[info.cls] = None
                for field in info.fields:
                    _collect(field.type, found)
        case msgspec.inspect.Metadata():
            _collect(info.type, found)
        case msgspec.inspect.UnionType():
            for item in info.types:
                _collect(item, found)
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            _collect(info.item_type, found)
        case msgspec.inspect.DictType():
            _collect(info.value_type, found)
