"""JSON Schema: what is wrong with a schema, and with what is held to it.

A schema whose parts refer to each other can make twice as much of each part as of the one before: what such ask takes
seconds or years. So can patterns that count. Those are for a process with limits.
"""

import re
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec

#: Schemas that are kept ready.
_MOST_READY = 64

#: Bytes of a schema without these that is looked at in the process that answers requests.
_MOST_LIGHT = 16_384
_HEAVY = re.compile(rb"\$(?:ref|dynamicRef|recursiveRef)|\\u|\{\d")

#: Where it is, as in `record.codes[0]`, and what.
Problem = tuple[str, str]


def is_light(schema: bytes) -> bool:
    """Whether a look at a schema, or at a member, takes no longer than both are long."""
    return len(schema) <= _MOST_LIGHT and _HEAVY.search(schema) is None


def problem_of_schema(name: str, schema: bytes) -> Problem | None:
    """What keeps it from being one. `name` is the member that has it."""
    try:
        _ready(schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        where = _path(name, getattr(error, "instance_path", ()))
        return where, f"is no JSON Schema: {getattr(error, 'message', str(error))}"
    return None


def problem_of_member(name: str, member: bytes, schema: bytes) -> Problem | None:
    """What the schema says against a member, which is JSON."""
    value, validator = msgspec.json.decode(member), _ready(schema)
    if validator.is_valid(value):
        return None
    error = next(iter(validator.iter_errors(value)))
    return _path(name, error.instance_path), f"is not what the dataset's schema demands: {error.message}"


@lru_cache(_MOST_READY)
def _ready(schema: bytes) -> Any:
    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema), retriever=_refused, pattern_options=jsonschema_rs.RegexOptions()
    )


def _refused(uri: str) -> Any:
    raise ValueError(f"'{uri}' is elsewhere, and is not fetched")


def _path(name: str, steps: Any) -> str:
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
