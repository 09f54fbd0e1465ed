"""OpenAPI 3.1 from declared operations (https://spec.openapis.org/oas/v3.1.0)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from headland.http.operations import Answer, Operation

_REF = "#/components/schemas/{name}"


@dataclass(frozen=True, slots=True)
class Api:
    """A service's operations, where they are mounted, and the errors they share."""

    name: str
    summary: str
    #: Path below the public base.
    prefix: str
    operations: Sequence[Operation]
    errors: Mapping[int, Answer]
    #: What stands in the place of its paths' parameters.
    segment: Any = str


def openapi(title: str, version: str, apis: Sequence[Api]) -> dict[str, Any]:
    """One document for all services."""
    types = _types(apis)
    schemas, components = _short(*msgspec.json.schema_components(types, ref_template=_REF))
    by_type = dict(zip(map(_key, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for api in apis:
        for operation in api.operations:
            path = api.prefix + re.sub(r":\w+}", "}", operation.path)
            paths.setdefault(path, {})[operation.method.lower()] = _entry(api, operation, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "tags": [{"name": api.name, "description": api.summary} for api in apis],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _types(apis: Sequence[Api]) -> list[Any]:
    found: dict[Any, Any] = {}
    for api in apis:
        found[_key(api.segment)] = api.segment
        for operation in api.operations:
            answers = [*operation.answers.values(), *api.errors.values()]
            parameters = [parameter.type for parameter in operation.parameters]
            parameters += operation.segments.values()
            for wanted in (operation.body, *(answer.body for answer in answers), *parameters):
                if wanted is not None and not isinstance(wanted, str):
                    found[_key(wanted)] = wanted
    return list(found.values())


def _key(wanted: Any) -> str:
    return repr(wanted)


def _short(schemas: Any, components: Any) -> Any:
    """Where two services have a type of one name, msgspec calls it by its module; the service is enough."""
    text = msgspec.json.encode([schemas, components]).decode()
    for name in components:
        if "." in name:
            text = text.replace(f'{name}"', f'{name.removeprefix("headland.").replace(".wire.", ".")}"')
    return msgspec.json.decode(text)


def _entry(api: Api, operation: Operation, schemas: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "tags": [api.name],
        "summary": operation.summary,
        "operationId": operation.handler.__name__,
        "parameters": [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": schemas[_key(operation.segments.get(name, api.segment))],
            }
            for name in re.findall(r"{(\w+)", operation.path)
        ]
        + [
            {
                "name": parameter.name,
                "in": parameter.place,
                "required": parameter.required,
                "description": parameter.summary,
                "schema": schemas[_key(parameter.type)],
            }
            for parameter in operation.parameters
        ],
        "responses": {
            str(status): _response(answer, schemas)
            for status, answer in sorted({**api.errors, **operation.answers}.items())
        },
    }
    if operation.body is not None:
        schema = (
            {"type": "string", "format": "binary"}
            if operation.body is bytes
            else schemas[_key(operation.body)]
        )
        entry["requestBody"] = {
            "required": True,
            "content": {media_type: {"schema": schema} for media_type in operation.media_types},
        }
    if operation.guarded:
        entry["security"] = [{"bearer": []}]
    if operation.addition:
        entry["x-addition"] = True
    return entry


def _response(answer: Answer, schemas: Mapping[str, Any]) -> dict[str, Any]:
    response: dict[str, Any] = {"description": answer.summary}
    if isinstance(answer.body, str):
        response["content"] = {answer.body: {"schema": {"type": "string"}}}
    elif answer.body is not None:
        response["content"] = {"application/json": {"schema": schemas[_key(answer.body)]}}
    if answer.headers:
        response["headers"] = {
            name: {"description": text, "schema": {"type": "string"}} for name, text in answer.headers.items()
        }
    return response
