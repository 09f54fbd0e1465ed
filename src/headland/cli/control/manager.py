"""The resource manager's API, as commands use it."""

import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.profile import require_public

if TYPE_CHECKING:
    import httpx

    from headland.cli.service import Service

PROVIDER = "Microsoft.AgFoodPlatform"
FARM_BEATS = f"{PROVIDER}/farmBeats"

#: Generations of the protocol: of instances, and of all else.
VERSION = "2023-06-01-preview"
GENERAL_VERSION = "2025-04-01"


class Manager:
    """Subscriptions and what is in them."""

    def __init__(self, service: "Service", subscription: str | None = None) -> None:
        require_public(service.profile, "subscriptions")
        self._service = service
        self._subscription = subscription

    @property
    def subscription(self) -> str:
        """The path of the subscription that commands are about: the one named, else the only one there is.

        Raises:
            CliError: there is none, or there are several.
        """
        if self._subscription is None:
            found = [str(item["subscriptionId"]) for item in self.pages("/subscriptions")]
            if len(found) != 1:
                problem = (
                    "no subscription is open to you" if not found else "several subscriptions are open to you"
                )
                remedy = (
                    "`headland subscription request` asks for one"
                    if not found
                    else f"name one with --subscription: {', '.join(found)}"
                )
                raise CliError(problem, remedy, ExitCode.USAGE if found else ExitCode.DENIED)
            self._subscription = found[0]
        return f"/subscriptions/{quote(self._subscription, safe='')}"

    def group(self, name: str) -> str:
        """The path of a group."""
        return f"{self.subscription}/resourceGroups/{quote(name, safe='')}"

    def instance(self, group: str, name: str) -> str:
        """The path of an instance."""
        return f"{self.group(group)}/providers/{FARM_BEATS}/{quote(name, safe='')}"

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str | None] | None = None,
        missing: CliError | None = None,
    ) -> "httpx.Response":
        """The answer to a request of the resource manager's."""
        version = VERSION if PROVIDER.lower() in path.lower() else GENERAL_VERSION
        own = path.startswith("/control/")
        asked = {**({} if own else {"api-version": version}), **(query or {})}
        return self._service.call(method, path, body=body, query=asked, missing=missing)

    def document(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """The JSON object that answers it."""
        from headland.cli.refusals import document_of  # noqa: PLC0415 - with httpx, which costs most of an import

        return document_of(self.call(method, path, **request))

    def pages(self, path: str, query: Mapping[str, str | None] | None = None) -> Iterator[dict[str, Any]]:
        """All items of a list."""
        document = self.document("GET", path, query=query)
        while True:
            yield from document["value"]
            link = urlsplit(document.get("nextLink") or "")
            if not link.path:
                return
            document = self._service.document("GET", f"{link.path}?{link.query}")

    def assign(self, scope: str, role: str, principal: str) -> dict[str, Any]:
        """Give a principal a role."""
        properties = {
            "roleDefinitionId": f"/providers/Microsoft.Authorization/roleDefinitions/{role}",
            "principalId": principal,
            "principalType": "ServicePrincipal",
        }
        path = f"{assignments(scope)}/{uuid.uuid4()}"
        return self.document("PUT", path, body={"properties": properties})

    def roles(self) -> list[dict[str, Any]]:
        """All roles there are."""
        path = f"{self.subscription}/providers/Microsoft.Authorization/roleDefinitions"
        return list(self.pages(path))


def assignments(scope: str) -> str:
    """The path of a scope's role assignments."""
    return f"{scope.rstrip('/')}/providers/Microsoft.Authorization/roleAssignments"
