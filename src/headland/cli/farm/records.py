"""The bulk operations of the farm service, as commands use them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.profile import require_public

if TYPE_CHECKING:
    import httpx

    from headland.cli.service import Service

VERSION = "2022-11-01-preview"

_NDJSON = {"Content-Type": "application/x-ndjson"}


class Counts(Struct):
    """What has become of lines, up to number `lines`."""

    event: str
    lines: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    #: Why it did not go on, where it did not.
    error: dict[str, Any] = field(default_factory=dict)


class Account(Struct):
    """What the service tells of an import."""

    refused: list[dict[str, Any]]
    last: Counts


class Records:
    """An instance's documents, of one family or of all."""

    def __init__(self, service: "Service", instance: str, family: str | None) -> None:
        require_public(service.profile, "instances")
        self._service = service
        self._base = f"/farm/{quote(instance, safe='')}"
        self._family = f"/{quote(family, safe='')}" if family else ""

    def bring(self, lines: Sequence[bytes], first: int, mode: str) -> Account:
        """Have lines stored, of which the first has a number; `mode` as the service has it, or `restore`.

        Raises:
            CliError: all of them were refused together, or nobody knows what became of them.
        """
        restoring = mode == "restore"
        answer = self._service.call(
            "POST",
            f"{self._base}/{'restore' if restoring else 'bulk'}{self._family}",
            query={"api-version": VERSION, "firstLine": first, "mode": None if restoring else mode},
            content=lambda: iter([b"".join(lines)]),
            headers=_NDJSON,
        )
        events = [json.loads(line) for line in answer.content.splitlines()]
        last = view(events[-1], Counts) if events else Counts("")
        if last.event not in {"finished", "stopped"}:
            raise CliError("the service broke off", "try again", passing=True, uncertain=True)
        return Account([event for event in events if event["event"] == "refused"], last)

    @contextmanager
    def taken(self) -> "Iterator[httpx.Response]":
        """The answer that has all lines, yet to be read."""
        with self._service.stream(
            f"{self._base}/bulk{self._family}", query={"api-version": VERSION}
        ) as answer:
            yield answer
