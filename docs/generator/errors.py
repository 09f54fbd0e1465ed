"""`errors.md`: why requests are refused, from the tables and classes that refuse them."""

import inspect
from collections.abc import Iterable, Iterator
from typing import TypeVar

from generator.markdown import code, page, table
from headland.control.errors import ControlError
from headland.farm.answers import OTHER_CODES
from headland.farm.errors import FarmError
from headland.identity.admin_service import STATUS
from headland.identity.errors import IdentityError
from headland.identity.refusals import CASES
from headland.jobs.batches import service as batch_service
from headland.jobs.batches.errors import BatchError
from headland.storage.errors import StorageError

E = TypeVar("E", bound=Exception)

#: Modules that have errors of their own besides the services' `errors`: imported, so that they are found.
LOADED = (batch_service,)

_INTRODUCTION = """\
What the services answer when they refuse a request, and when. [The API reference](api.md) has the statuses of
each operation. `<…>` stands for what depends on the request."""

_IDENTITY = """\
The token endpoints and discovery answer as Microsoft Entra ID does: `error` is OAuth 2.0's word,
`error_codes` has the number, and `error_description` begins with `AADSTS<number>:` and the text. `error_uri`
leads to the number's meaning. One number may stand for several cases; then the status tells them apart."""

_CONTROL = """\
Errors are Azure Resource Manager's: `{"error": {"code": "…", "message": "…", "target": "…"}}`, with its codes
and, where it has one, its text. `target` names a field or a parameter."""
_FARM = """\
Errors are those of Azure Data Manager for Agriculture:
`{"error": {"code": "…", "message": "…", "target": "…", "details": […]}, "traceId": "…"}`, with the code in
`x-ms-error-code`, too. `target` names a field or a parameter, `traceId` the request in the log."""

_MESSAGE = 'Every error is `{"msg": "<text>"}`.'


def errors_page() -> str:
    """The page."""
    return page(
        "Errors",
        _INTRODUCTION,
        "## Tokens and discovery",
        _IDENTITY,
        table(("Number", "Status", "`error`", "Text"), _refusals()),
        "## Batches",
        f"{_MESSAGE} The texts are those that Livy's clients know.",
        _classes((error.status, error) for error in _subclasses(BatchError)),
        "## Applications and secrets",
        _MESSAGE,
        _classes((STATUS[error], error) for error in _subclasses(IdentityError) if error in STATUS),
        "## Control plane",
        _CONTROL,
        table(("Status", "`code`", "Text", "When"), _control()),
        "## Farm",
        _FARM,
        table(("Status", "`code`", "Text", "When"), _farm()),
        "## Storage",
        _MESSAGE,
        _classes((error.status, error) for error in _subclasses(StorageError)),
    )


def _refusals() -> Iterator[tuple[str, ...]]:
    for case in sorted(CASES, key=lambda case: (case.status, case.code)):
        text = case.text.replace("{", "<").replace("}", ">")
        yield str(case.code), str(case.status), code(case.error), code(text)


def _control() -> Iterator[tuple[str, ...]]:
    rows = (
        (str(error.status), code(error.code), _text(error), _meaning(error))
        for error in _subclasses(ControlError)
    )
    yield from sorted(rows)


def _farm() -> Iterator[tuple[str, ...]]:
    rows = [
        (str(error.status), code(error.code), _text(error), _meaning(error))
        for error in _subclasses(FarmError)
    ]
    rows += [(str(status), code(name), "", when) for status, name, when in OTHER_CODES]
    yield from sorted(rows)


def _classes(errors: Iterable[tuple[int, type[Exception]]]) -> str:
    rows = sorted((str(status), _text(error), _meaning(error)) for status, error in errors)
    return table(("Status", "Text", "When"), rows)


def _meaning(error: type[Exception]) -> str:
    return inspect.cleandoc(error.__doc__ or "").partition("\n\n")[0]


def _text(error: type[Exception]) -> str:
    """The message, with names in place of what it is made with; "" where all of it is the caller's."""
    parameters = [*inspect.signature(error.__init__).parameters.values()][1:]
    wanted = [item for item in parameters if item.default is item.empty]
    if any(item.kind is item.VAR_POSITIONAL for item in wanted):
        return ""
    # A list's one item, where the annotation says that it is one.
    made = error(*(_placeholder(item, several="Sequence" in str(item.annotation)) for item in wanted))
    return "" if str(made) == "<message>" else code(str(made))


def _placeholder(parameter: inspect.Parameter, *, several: bool) -> str | list[str]:
    named = f"<{parameter.name}>"
    return [named] if several else named


def _subclasses(error: type[E]) -> Iterator[type[E]]:
    for below in error.__subclasses__():
        yield below
        yield from _subclasses(below)
