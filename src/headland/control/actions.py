"""Names of what can be done, as role-based access control has them."""

from typing import Final

from headland.control.provider import NAMESPACE

#: What the resource manager does with instances; all else below the namespace is done with their data.
_MANAGED: Final = ("read", "write", "delete")
_PARTS: Final = (
    "extensions",
    "solutions",
    "dataConnectors",
    "privateEndpointConnections",
    "privateLinkResources",
    "operationResults",
)
_OTHERS: Final = (
    "register/action",
    "unregister/action",
    "checkNameAvailability/action",
    "operations/read",
    "locations/operationResults/read",
    "farmBeatsExtensionDefinitions/read",
    "farmBeatsSolutionDefinitions/read",
)

CONTROL_ACTIONS: Final = frozenset(
    f"{NAMESPACE}/{action}".lower()
    for action in (
        *_OTHERS,
        *(f"farmBeats/{verb}" for verb in _MANAGED),
        "farmBeats/validate/action",
        *(f"farmBeats/{part}/{verb}" for part in _PARTS for verb in _MANAGED),
    )
)


def is_data_action(action: str) -> bool:
    """Whether an action is about an instance's data, and so is for roles that have data actions alone."""
    lowered = action.lower()
    return lowered.startswith(f"{NAMESPACE}/".lower()) and lowered not in CONTROL_ACTIONS
