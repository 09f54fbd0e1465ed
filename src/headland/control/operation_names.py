"""The operations of the agriculture provider in words, for `operations` and for who writes a role."""

from typing import Final

from headland.control import wire
from headland.control.provider import NAMESPACE

_PROVIDER: Final = "Azure AgFood Platform"

#: By action: the resource, and what is done with it.
_MANAGED: Final = {
    "register/action": ("Provider", "Register the provider"),
    "unregister/action": ("Provider", "Take back the provider's registration"),
    "operations/read": ("Operations", "List operations"),
    "checkNameAvailability/action": ("Names", "Check whether a name is available"),
    "locations/operationResults/read": ("Operation results", "Read an operation's result"),
    "farmBeats/read": ("Instances", "Read an instance"),
    "farmBeats/write": ("Instances", "Make or change an instance"),
    "farmBeats/delete": ("Instances", "Delete an instance"),
    "farmBeats/validate/action": ("Instances", "Review an instance before it is made"),
    "farmBeats/operationResults/read": ("Operation results", "Read an operation's result"),
}
#: What is done with each family of data; each is one action for all families.
_DATA: Final = {
    "farmBeats/*/read": "Read data",
    "farmBeats/*/write": "Create or update data",
    "farmBeats/*/delete": "Delete data",
    "farmBeats/deletionJobs/*/write": "Start a job that deletes data",
}


def described() -> list[wire.OperationDescription]:
    """All of them."""
    managed = [
        wire.OperationDescription(
            f"{NAMESPACE}/{name}", False, wire.OperationDisplay(_PROVIDER, resource, text, text), "user"
        )
        for name, (resource, text) in _MANAGED.items()
    ]
    data = [
        wire.OperationDescription(
            f"{NAMESPACE}/{name}", True, wire.OperationDisplay(_PROVIDER, "Data", text, text), "user"
        )
        for name, text in _DATA.items()
    ]
    return [*managed, *data]
