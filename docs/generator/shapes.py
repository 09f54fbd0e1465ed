"""JSON Schema in words: `integer, 1 to 65535`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.markdown import code

Schema = Mapping[str, Any]

_FORMATS = {"date-time": "date and time (RFC 3339)", "binary": "bytes"}


@dataclass(frozen=True, slots=True)
class Shapes:
    """How one page words them."""

    #: What a reference to a named shape becomes.
    reference: Callable[[str], str]
    #: What an object with any names is called: JSON has objects, TOML has tables.
    mapping: str = "object"
    #: What may stand in place of a value.
    nothing: str = "null"

    def words(self, schema: Schema) -> str:
        """Type, unit and limits."""
        match schema:
            case {"$ref": reference}:
                words = self.reference(reference.rpartition("/")[2])
            case {"anyOf": schemas}:
                words = self._any_of(schemas)
            case {"enum": values}:
                words = either([code(value) for value in values])
            case {"type": "array"}:
                items = plural(self.words(schema.get("items", {})))
                words = f"list of {items}{_size(schema, 'item')}"
            case {"type": "object", "additionalProperties": {} as values}:
                words = f"{self.mapping} of {plural(self.words(values))}"
            case {"type": "string"}:
                words = _FORMATS.get(schema.get("format", ""), "string") + _text_limits(schema)
            case {"type": "integer" | "number" as kind}:
                unit = f" of {schema['x-unit']}" if "x-unit" in schema else ""
                words = kind + unit + _number_limits(schema)
            case _:
                words = schema.get("type", "anything")
        return words

    def _any_of(self, schemas: list[Schema]) -> str:
        words = [self.words(schema) for schema in schemas if schema.get("type") != "null"]
        if "number" in words and "integer" in words:
            words.remove("integer")
        if len(words) != len(schemas):
            words.append(self.nothing)
        # What has limits comes last: they would seem to be of what follows.
        return either(sorted(words, key=lambda part: "," in part))


def either(words: list[str]) -> str:
    """`a, b or c`."""
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def plural(words: str) -> str:
    """`strings` of `string`; words that do not begin with a plain type stay as they are."""
    first, separator, rest = words.partition(",")
    if " or " in words:
        return f"({words})"
    return (
        f"{first}s{separator}{rest}" if first in {"string", "integer", "number", "object", "table"} else words
    )


def toml(value: Any) -> str:
    """A value as it stands in a TOML file."""
    match value:
        case dict() if value:
            return "{ " + ", ".join(f"{_key(name)} = {toml(item)}" for name, item in value.items()) + " }"
        case list():
            return "[" + ", ".join(toml(item) for item in value) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else json.dumps(name)


def _number_limits(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f", {least} to {most}"
    if least is not None:
        return f", {least} or more"
    if "exclusiveMinimum" in schema:
        return f", more than {schema['exclusiveMinimum']}"
    return f", at most {most}" if most is not None else ""


def _text_limits(schema: Schema) -> str:
    pattern = f" like {code(schema['pattern'])}" if "pattern" in schema else ""
    return pattern + _size(schema, "character")


def _size(schema: Schema, what: str) -> str:
    least = schema.get("minLength", schema.get("minItems"))
    most = schema.get("maxLength", schema.get("maxItems"))
    if least is not None and most is not None:
        return f", {least} to {most} {what}s"
    if least is not None:
        return ", not empty" if least == 1 else f", {least} {what}s or more"
    return f", at most {most} {what}s" if most is not None else ""
