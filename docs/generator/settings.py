"""`settings.md`: every setting, from its declaration."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from generator.markdown import code, fenced, page, table
from generator.shapes import Schema, Shapes, toml
from headland.settings import Settings
from headland.settings.load import NOT_SETTINGS

#: What the variables are for that are no settings.
OTHER_VARIABLES = {
    "HEADLAND_HOME": "The home: the folder that holds all state.",
    "HEADLAND_URL": "Address of the service that the command line talks to.",
    "HEADLAND_TENANT": "Directory (tenant) ID, or name, for the command line.",
    "HEADLAND_CLIENT_ID": "Application (client) ID for the command line.",
    "HEADLAND_CLIENT_SECRET": "Client secret for the command line.",
    "HEADLAND_CA": "PEM file of the CA that the command line trusts.",
}

_INTRODUCTION = """\
Headland starts without any setting. What you do set goes into `headland.toml` in the home, or into a
variable of the service's environment.

**The home** is the one folder that holds all state: the `--home` of `headland serve`, else `HEADLAND_HOME`,
else the platform's folder for application data (`~/.local/share/headland` on Linux,
`~/Library/Application Support/headland` on macOS).

**What goes first:** a variable, then the file, then the default. An unknown name or a wrong value stops the
start with one line that names it and where it was given.

**Variables** are called `HEADLAND_<SECTION>_<NAME>`. Lists are separated by commas
(`HEADLAND_SERVER_SERVICES=identity,jobs`), tables and lists of tables are JSON
(`HEADLAND_JOBS_SPARK_CONF='{"spark.sql.shuffle.partitions": "8"}'`), truth values are `true` and `false`.

Settings are read when the service starts. Restarting it does not disturb running batches."""

_EXAMPLE = """\
Every setting with its default. What has none, or an empty one, is commented out (`#name = …`) with an example
for a value. A file of your own needs only what differs."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    section: str
    name: str
    schema: Schema

    @property
    def variable(self) -> str:
        return f"HEADLAND_{self.section}_{self.name}".upper()

    @property
    def why(self) -> str:
        return str(self.schema.get("description", ""))

    @property
    def default(self) -> Any:
        return self.schema.get("default")

    @property
    def example(self) -> Any:
        """A value for what is unset or empty by default."""
        return next(iter(self.schema.get("examples", ())), None)


def sections() -> dict[str, tuple[str, list[Setting]]]:
    """By section: what it is about, and its settings."""
    shapes = _definitions()
    found = {}
    for section in msgspec.structs.fields(Settings):
        schema = shapes[section.type.__name__]
        settings = [Setting(section.name, name, item) for name, item in schema["properties"].items()]
        found[section.name] = (schema["description"], settings)
    return found


def settings_page() -> str:
    """The page."""
    if OTHER_VARIABLES.keys() != NOT_SETTINGS:
        raise ValueError(f"say what they are for: {', '.join(OTHER_VARIABLES.keys() ^ NOT_SETTINGS)}")
    blocks = []
    for name, (about, settings) in sections().items():
        blocks += [f"## [{name}]", about, *(_entry(setting) for setting in settings)]
    others = table(("Variable", ""), ((code(name), text) for name, text in OTHER_VARIABLES.items()))
    return page(
        "Settings",
        _INTRODUCTION,
        *blocks,
        "## Other variables",
        "These are no settings of the service, and not in `headland.toml`.",
        others,
        "## A complete headland.toml",
        _EXAMPLE,
        fenced(example(), "toml"),
    )


def example() -> str:
    """A settings file with everything in it."""
    return "\n".join(_example_lines())


def _example_lines() -> Iterator[str]:
    for name, (about, settings) in sections().items():
        yield from (f"# {about}", f"[{name}]", "")
        # A table's header ends the section's own values, so those come first.
        for setting in sorted(settings, key=_has_own_table):
            yield from textwrap.wrap(setting.why, 98, initial_indent="# ", subsequent_indent="# ")
            if setting.default not in (None, "", [], {}):
                yield f"{setting.name} = {toml(setting.default)}"
            elif _has_own_table(setting):
                for key, value in (setting.example or {}).items():
                    yield f"#[{name}.{setting.name}.{key}]"
                    yield from (f"#{field} = {toml(item)}" for field, item in value.items())
            else:
                yield f"#{setting.name} = {toml(setting.example)}"
            yield ""


def _entry(setting: Setting) -> str:
    default = "unset" if setting.default in (None, "") else code(toml(setting.default))
    lines = [
        f"### `{setting.section}.{setting.name}`",
        "",
        setting.why,
        "",
        f"- type: {_shapes().words(setting.schema)}",
        f"- default: {default}",
        f"- variable: `{setting.variable}`",
    ]
    members = setting.schema.get("additionalProperties") or setting.schema.get("items") or {}
    if "$ref" in members:
        shape = _definitions()[members["$ref"].rpartition("/")[2]]
        lines += ["", "Each of them has:", "", _fields(shape)]
    return "\n".join(lines)


def _fields(shape: Schema) -> str:
    return table(
        ("Name", "Type", "Default", ""),
        (
            (
                code(name),
                _shapes().words(schema),
                code(toml(schema["default"])) if "default" in schema else "required",
                schema["description"],
            )
            for name, schema in shape["properties"].items()
        ),
    )


def _has_own_table(setting: Setting) -> bool:
    return "$ref" in (setting.schema.get("additionalProperties") or {})


def _shapes() -> Shapes:
    return Shapes(reference=lambda _: "table", mapping="table", nothing="unset")


def _definitions() -> dict[str, Any]:
    # Defaults that are tuples become lists, as they are in a file.
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Settings)))
    definitions: dict[str, Any] = schema["$defs"]
    return definitions
