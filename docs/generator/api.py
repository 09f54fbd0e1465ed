"""`openapi.json` and `api.md`: every operation, from its declaration."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from generator.fields import notes, struct_types
from generator.markdown import anchor, code, page, sentence, table
from generator.shapes import Schema, Shapes
from headland.http.openapi import Api
from headland.http.operations import Answer, Operation
from headland.security import Principal, Verifier
from headland.server.apis import openapi_document, private_apis, public_apis
from headland.server.deployment import Deployment
from headland.settings import Home, Settings

NOTICE = "Generated from the code by docs/generate.py (make docs). Do not edit."

_INTRODUCTION = """\
Headland listens twice:

- on **the public base**, over HTTPS (`{public}`), where everything is;
- on **the private listener**, over HTTP (`{private}`), for clients on the machine or its private network:
  the job service alone, and without its prefix.

Paths here are those on the public base; where the private listener differs, an operation says so.

- **Token:** send `Authorization: Bearer <access token>`; the identity service below issues it. What the
  private listener asks for is said by
  [`server.private_authentication`](settings.md#serverprivate_authentication).
- **Request ids:** every answer has `X-Request-Id`, which the log has, too: the request's own, or a new one.
- **Errors:** [errors.md](errors.md) has their texts. A status that every operation of a service may answer
  with is said once, above its operations.
- **Additions:** what is Headland's own, and not of the protocol that the service speaks, is marked *addition*.

[openapi.json](openapi.json) says the same in OpenAPI 3.1; a running service has it at `/openapi.json`."""


def declared() -> tuple[list[Api], list[Api]]:
    """The APIs of the public base and of the private listener, under default settings. Nothing is started."""
    deployment = Deployment.of(Home(Path("home")), Settings())
    verifier = Verifier([])
    return public_apis(deployment, verifier), private_apis(deployment, verifier, _nobody)


def openapi_page() -> str:
    """The document."""
    document = {"x-generated": NOTICE, **openapi_document(declared()[0])}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def api_page() -> str:
    """The page."""
    public, private = declared()
    writer = _Writer(public, private)
    server = Settings().server
    introduction = _INTRODUCTION.format(
        public=server.public_url, private=f"http://{server.private_host}:{server.private_port}"
    )
    contents = table(
        ("Service", "", "Operations"),
        (
            (f"[{api.name}]({anchor(_heading(api))})", api.summary, str(len(api.operations)))
            for api in writer.apis
        ),
    )
    services = (block for api in writer.apis for block in writer.service(api))
    return page("HTTP API", introduction, contents, *services, "## Shapes", *writer.shapes())


class _Writer:
    """Puts the declarations of both listeners into words."""

    def __init__(self, public: Sequence[Api], private: Sequence[Api]) -> None:
        self._public = {api.name: _by_place(api) for api in public}
        self._private = {api.name: api for api in private}
        #: Those of the public base, each with what the private listener alone has at its end.
        self.apis = [_joined(api, self._private.get(api.name)) for api in public]
        document = openapi_document(self.apis)
        self._paths, self._schemas = document["paths"], document["components"]["schemas"]
        self._types = struct_types(self.apis)
        self._shapes = Shapes(reference=self._reference)

    def service(self, api: Api) -> Iterator[str]:
        """Blocks of a service: what all its operations share, and the operations."""
        yield f"## {_heading(api)}"
        yield sentence(api.summary) + self._where(api)
        if api.errors:
            yield "Every operation may answer:"
            yield self._answers(api.errors)
        for operation in api.operations:
            yield from self._operation(api, operation)

    def shapes(self) -> Iterator[str]:
        """Blocks of all shapes, by name."""
        for name, struct in sorted(self._types.items(), key=lambda item: item[0].lower()):
            schema = self._schemas[name]
            yield f"### {name}"
            yield schema.get("description", "")
            yield self._fields(schema, notes(struct))

    def _where(self, api: Api) -> str:
        prefix = f" Below {code(api.prefix)}" if api.prefix else " At the root"
        if api.name not in self._private:
            return f"{prefix} of the public base; not on the private listener."
        same = self._private[api.name].prefix == api.prefix
        return f"{prefix} of the public base" + (
            ", and on the private listener." if same else "; without that prefix on the private listener."
        )

    def _operation(self, api: Api, operation: Operation) -> Iterator[str]:
        path = api.prefix + re.sub(r":\w+}", "}", operation.path)
        yield f"### {operation.method} {path}"
        marks = ["*Addition.*"] if operation.addition else []
        marks.append("Token needed." if operation.guarded else "No token needed.")
        yield " ".join([sentence(operation.summary), *marks, self._listener(api, operation)]).strip()
        entry = self._paths[path][operation.method.lower()]
        yield self._parameters(entry["parameters"])
        if "requestBody" in entry:
            content = entry["requestBody"]["content"]
            types = " or ".join(map(code, content))
            yield f"Body: {self._shapes.words(next(iter(content.values()))['schema'])}, as {types}."
        yield self._answers(operation.answers)

    def _listener(self, api: Api, operation: Operation) -> str:
        """How an operation differs on the private listener."""
        if api.name not in self._private:
            return ""
        place = operation.method, operation.path
        there = _by_place(self._private[api.name]).get(place)
        if place not in self._public[api.name]:
            return "On the private listener only."
        if there is None:
            return "On the public base only."
        missing = {item.name for item in operation.parameters} - {item.name for item in there.parameters}
        if not api.prefix and not missing:
            return ""
        without = f", and {' and '.join(map(code, sorted(missing)))} not demanded" if missing else ""
        return f"Private listener: {code(' '.join(place))}{without}."

    def _parameters(self, parameters: Iterable[Schema]) -> str:
        return table(
            ("Parameter", "In", "Type", "Required", ""),
            (
                (
                    code(parameter["name"]),
                    parameter["in"],
                    self._shapes.words(parameter["schema"]),
                    "yes" if parameter["required"] else "no",
                    parameter.get("description", ""),
                )
                for parameter in parameters
            ),
        )

    def _answers(self, answers: Mapping[int, Answer]) -> str:
        return table(
            ("Status", "Body", "Headers", ""),
            (
                (
                    str(status),
                    self._body(answer),
                    "; ".join(f"{code(name)}: {text.rstrip('.')}" for name, text in answer.headers.items()),
                    answer.summary,
                )
                for status, answer in sorted(answers.items())
            ),
        )

    def _body(self, answer: Answer) -> str:
        if answer.body is None:
            return "none"
        if isinstance(answer.body, str):
            return code(answer.body)
        name = next((name for name, item in self._types.items() if item is answer.body), None)
        return self._reference(name) if name else "object"

    def _fields(self, schema: Schema, said: Mapping[str, str]) -> str:
        required = schema.get("required", ())
        return table(
            ("Field", "Type", "Required", ""),
            (
                (
                    code(name),
                    self._shapes.words(item),
                    "yes" if name in required else _optional(item),
                    said.get(name, item.get("description", "")),
                )
                for name, item in schema["properties"].items()
            ),
        )

    def _reference(self, name: str) -> str:
        # What has a name and no members, such as a set of words, has no block of its own.
        if name not in self._types:
            return self._shapes.words(self._schemas[name])
        return f"[{name}]({anchor(name)})"


def _joined(public: Api, private: Api | None) -> Api:
    alone = (
        [item for place, item in _by_place(private).items() if place not in _by_place(public)]
        if private
        else []
    )
    return replace(public, operations=[*public.operations, *alone])


def _by_place(api: Api) -> dict[tuple[str, str], Operation]:
    return {(operation.method, operation.path): operation for operation in api.operations}


def _heading(api: Api) -> str:
    # Not the name alone: a shape may have the same.
    return f"The service {api.name}"


def _optional(schema: Schema) -> str:
    default = schema.get("default")
    return "no" if default in (None, {}, []) else f"no; {code(msgspec.json.encode(default).decode())}"


async def _nobody(_client_id: str, _secret: str) -> Principal | None:
    return None
