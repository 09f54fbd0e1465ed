"""`openapi.json` and `api.md`: every operation, from its declaration."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
Headland listens twice: on **the public base**, HTTPS (`{public}`), where everything is; and on **the private
listener**, HTTP (`{private}`), for clients on the machine or its private network, with the job service alone
and without its prefix. Paths here are those on the public base; where the private listener differs, it says so.

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
        ((f"[{api.name}]({anchor(api.name)})", api.summary, str(len(writer.listed(api)))) for api in public),
    )
    return page(
        "HTTP API", introduction, contents, *(block for api in public for block in writer.service(api))
    )


class _Writer:
    """Puts the declarations of both listeners into words."""

    def __init__(self, public: Sequence[Api], private: Sequence[Api]) -> None:
        self._private = {api.name: api for api in private}
        self._paths = openapi_document([*public])["paths"]
        # The two listeners' operations have the same shapes; those of the private one alone are here, too.
        self._schemas = openapi_document([*public])["components"]["schemas"]
        self._types = struct_types(public)
        self._shapes = Shapes(reference=self._reference)

    def listed(self, api: Api) -> list[Operation]:
        """The service's operations, those of the private listener alone last."""
        known = {(operation.method, operation.path) for operation in api.operations}
        private = self._private.get(api.name)
        alone = [o for o in private.operations if (o.method, o.path) not in known] if private else []
        return [*api.operations, *alone]

    def service(self, api: Api) -> Iterator[str]:
        """Blocks of a service: what all its operations share, the operations, their shapes."""
        yield f"## {api.name}"
        yield sentence(api.summary) + self._where(api)
        if api.errors:
            yield "Every operation may answer:"
            yield self._answers(api.errors)
        for operation in self.listed(api):
            yield from self._operation(api, operation)
        yield from self._used_shapes(api)

    def _where(self, api: Api) -> str:
        prefix = f" Below {code(api.prefix)}" if api.prefix else " At the root"
        if api.name not in self._private:
            return f"{prefix} of the public base; not on the private listener."
        same = self._private[api.name].prefix == api.prefix
        return f"{prefix} of the public base" + (
            ", and on the private listener." if same else "; without that prefix on the private listener."
        )

    def _operation(self, api: Api, operation: Operation) -> Iterator[str]:
        path = re.sub(r":\w+}", "}", operation.path)
        yield f"### {operation.method} {api.prefix}{path}"
        marks = ["*Addition.*"] if operation.addition else []
        marks.append("Token needed." if operation.guarded else "No token needed.")
        yield " ".join([sentence(operation.summary), *marks, *self._listener(api, operation)])
        entry = self._paths.get(api.prefix + path, {}).get(operation.method.lower(), {})
        yield table(
            ("Parameter", "In", "Type", "Required", ""),
            (
                (
                    code(parameter["name"]),
                    parameter["in"],
                    self._shapes.words(parameter["schema"]),
                    "yes" if parameter["required"] else "no",
                    parameter.get("description", ""),
                )
                for parameter in entry.get("parameters", ())
            ),
        )
        if "requestBody" in entry:
            content = entry["requestBody"]["content"]
            types = " or ".join(map(code, content))
            yield f"Body: {self._shapes.words(next(iter(content.values()))['schema'])}, as {types}."
        yield self._answers(operation.answers)

    def _listener(self, api: Api, operation: Operation) -> Iterator[str]:
        """How an operation differs on the private listener."""
        if api.name not in self._private:
            return
        there = next(
            (
                other
                for other in self._private[api.name].operations
                if (other.method, other.path) == (operation.method, operation.path)
            ),
            None,
        )
        if there is None:
            yield "On the public base only."
        elif not any(operation is listed or operation == listed for listed in api.operations):
            yield "On the private listener only."
        else:
            missing = {p.name for p in operation.parameters} - {p.name for p in there.parameters}
            if api.prefix or missing:
                without = f", and {' and '.join(map(code, sorted(missing)))} not demanded" if missing else ""
                yield f"Private listener: {code(f'{operation.method} {operation.path}')}{without}."

    def _answers(self, answers: Mapping[int, Answer]) -> str:
        return table(
            ("Status", "Body", "Headers", ""),
            (
                (
                    str(status),
                    self._body(answer),
                    ", ".join(f"{code(name)}: {text}" for name, text in answer.headers.items()),
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

    def _used_shapes(self, api: Api) -> Iterator[str]:
        found: dict[str, None] = {}
        for struct in (t for name, t in struct_types([api]).items()):
            found |= dict.fromkeys(name for name, item in self._types.items() if item is struct)
        if found:
            yield f"### Shapes of {api.name}"
        for name in found:
            schema = self._schemas[name]
            yield f"#### {name}"
            yield schema.get("description", "")
            yield self._fields(schema, notes(self._types[name]))

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
        return f"[{name}]({anchor(name)})"


def _optional(schema: Schema) -> str:
    default = schema.get("default")
    return "no" if default in (None, {}, []) else f"no; {code(msgspec.json.encode(default).decode())}"


async def _nobody(_client_id: str, _secret: str) -> Principal | None:
    return None
