"""What the control plane refuses, each with the status and code of Azure Resource Manager.

The texts are those of the public service where it has one: programs and people look for them.
"""

from collections.abc import Sequence
from typing import ClassVar


class ControlError(Exception):
    """A request is refused. `target` names what is wrong with it: a field, a parameter, a namespace."""

    status: ClassVar[int]
    code: ClassVar[str]

    def __init__(self, message: str, target: str | None = None) -> None:
        super().__init__(message)
        self.target = target


class MissingApiVersionError(ControlError):
    """`api-version` is not there."""

    status, code = 400, "MissingApiVersionParameter"

    def __init__(self) -> None:
        super().__init__("The api-version query parameter (?api-version=) is required for all requests.")


class InvalidApiVersionError(ControlError):
    """`api-version` is no date, or stands there twice."""

    status, code = 400, "InvalidApiVersionParameter"

    def __init__(self, version: str) -> None:
        super().__init__(
            f"The api-version '{version}' is invalid. It is a date such as '2021-09-01-preview'.",
            "api-version",
        )


class NoRegisteredProviderError(ControlError):
    """An instance is to be made with an `api-version` that its type does not have."""

    status, code = 400, "NoRegisteredProviderFound"

    def __init__(self, location: str, version: str, kind: str, versions: Sequence[str]) -> None:
        super().__init__(
            f"No registered resource provider found for location '{location}' and API version '{version}' for "
            f"type '{kind}'. The supported api-versions are '{', '.join(versions)}'."
        )


class InvalidResourceTypeError(ControlError):
    """There is no such resource type, or not in this `api-version`."""

    status, code = 404, "InvalidResourceType"

    def __init__(self, kind: str, namespace: str, version: str, versions: Sequence[str]) -> None:
        super().__init__(
            f"The resource type '{kind}' could not be found in the namespace '{namespace}' for api version "
            f"'{version}'. The supported api-versions are '{','.join(versions)}'."
        )


class InvalidResourceNamespaceError(ControlError):
    """There is no such resource provider."""

    status, code = 404, "InvalidResourceNamespace"

    def __init__(self, namespace: str) -> None:
        super().__init__(f"The resource namespace '{namespace}' is invalid.", namespace)


class MissingSubscriptionError(ControlError):
    """There is nothing at this path."""

    status, code = 404, "MissingSubscription"

    def __init__(self) -> None:
        super().__init__(
            "The request did not have a subscription or a valid tenant level resource provider: there is nothing "
            "at this path."
        )


class MethodNotAllowedError(ControlError):
    """The path has operations, but not by this method."""

    status, code = 405, "MethodNotAllowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"{method} is not allowed here; {allowed} is.")
        self.allowed = allowed


class AuthorizationFailedError(ControlError):
    """No role of the caller has the action."""

    status, code = 403, "AuthorizationFailed"

    def __init__(self, client: str, object_id: str, action: str, scope: str) -> None:
        super().__init__(
            f"The client '{client}' with object id '{object_id}' does not have authorization to perform action "
            f"'{action}' over scope '{scope}' or the scope is invalid. If access was recently granted, please "
            "refresh your credentials."
        )


class InvalidSubscriptionIdError(ControlError):
    """A subscription's id is a GUID."""

    status, code = 400, "InvalidSubscriptionId"

    def __init__(self, subscription: str) -> None:
        super().__init__(
            f"The provided subscription identifier '{subscription}' is malformed or invalid.",
            "subscriptionId",
        )


class SubscriptionNotFoundError(ControlError):
    """The subscription is not on the allow list."""

    status, code = 404, "SubscriptionNotFound"

    def __init__(self, subscription: str) -> None:
        super().__init__(f"The subscription '{subscription}' could not be found.")


class ResourceGroupNotFoundError(ControlError):
    """The subscription has no such group."""

    status, code = 404, "ResourceGroupNotFound"

    def __init__(self, group: str) -> None:
        super().__init__(f"Resource group '{group}' could not be found.")


class ResourceNotFoundError(ControlError):
    """The group has no such resource."""

    status, code = 404, "ResourceNotFound"

    def __init__(self, resource: str, group: str) -> None:
        super().__init__(
            f"The Resource '{resource}' under resource group '{group}' was not found. For more details please go "
            "to https://aka.ms/ARMResourceNotFoundFix"
        )


class NotFoundError(ControlError):
    """There is no such thing, and no other word for it."""

    status, code = 404, "NotFound"


class PrivateEndpointConnectionNotFoundError(ControlError):
    """Instances have no private endpoints here."""

    status, code = 404, "PrivateEndpointConnectionNotFound"

    def __init__(self, name: str) -> None:
        super().__init__(f"The private endpoint connection '{name}' was not found.")


class NotSupportedError(ControlError):
    """The public service has it; Headland has not."""

    status, code = 400, "NotSupported"


class InvalidContentError(ControlError):
    """The body is not JSON, or a field of it is missing or has another type."""

    status, code = 400, "InvalidRequestContent"

    def __init__(self, problem: str, target: str | None = None) -> None:
        super().__init__(
            f"The request content was invalid and could not be deserialized: '{problem}'.", target
        )


class ContentTooLargeError(ControlError):
    """The body is too large."""

    status, code = 413, "RequestContentTooLarge"


class RequestTimeoutError(ControlError):
    """The body does not come, or too slowly."""

    status, code = 408, "RequestTimeout"


class UnsupportedMediaTypeError(ControlError):
    """The body is said to be something other than JSON."""

    status, code = 415, "UnsupportedMediaType"


class BadFieldError(ControlError):
    """A field has a value that it can't have."""

    status, code = 400, "BadArgument"


class BadParameterError(ControlError):
    """A query parameter has a value that it can't have."""

    status, code = 400, "InvalidQueryParameterValue"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"The query parameter '{name}' is not valid: {problem}", name)


class InvalidFilterError(ControlError):
    """`$filter` can't be read, or asks for what can't be filtered by."""

    status, code = 400, "InvalidFilterInQueryString"

    def __init__(self, filter_: str, problem: str) -> None:
        super().__init__(f"Invalid $filter '{filter_}' specified in the query string: {problem}.", "$filter")


class LocationRequiredError(ControlError):
    """A group or an instance is to be made, and it is not said where."""

    status, code = 400, "LocationRequired"

    def __init__(self) -> None:
        super().__init__("The location property is required for this definition.", "location")


class GroupLocationError(ControlError):
    """A group is to be made in a region that there is not."""

    status, code = 400, "LocationNotAvailableForResourceGroup"

    def __init__(self, location: str, available: Sequence[str]) -> None:
        super().__init__(
            f"The provided location '{location}' is not available for resource group. List of available regions "
            f"is '{','.join(available)}'.",
            "location",
        )


class TypeLocationError(ControlError):
    """An instance is to be made in a region that there is not."""

    status, code = 400, "LocationNotAvailableForResourceType"

    def __init__(self, location: str, kind: str, available: Sequence[str]) -> None:
        super().__init__(
            f"The provided location '{location}' is not available for resource type '{kind}'. List of available "
            f"regions for the resource type is '{','.join(available)}'.",
            "location",
        )


class GroupMovesError(ControlError):
    """A group stays in its region."""

    status, code = 409, "InvalidResourceGroupLocation"

    def __init__(self, location: str, present: str) -> None:
        super().__init__(
            f"Invalid resource group location '{location}'. The Resource group already exists in location "
            f"'{present}'.",
            "location",
        )


class ResourceMovesError(ControlError):
    """An instance stays in its region."""

    status, code = 409, "InvalidResourceLocation"

    def __init__(self, name: str, present: str, group: str, location: str) -> None:
        super().__init__(
            f"The resource '{name}' already exists in location '{present}' in resource group '{group}'. A resource "
            f"with the same name cannot be created in location '{location}'. Please select a new resource name.",
            "location",
        )


class InvalidGroupNameError(ControlError):
    """A group's name breaks the rules."""

    status, code = 400, "InvalidResourceGroup"

    def __init__(self, problem: str) -> None:
        super().__init__(problem, "resourceGroupName")


class InvalidNameError(ControlError):
    """An instance's name breaks the rules."""

    status, code = 400, "InvalidResourceName"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The resource name '{name}' is invalid: it has 1 to 63 letters and digits, and single hyphens "
            "between them.",
            "farmBeatsResourceName",
        )


class NameTakenError(ControlError):
    """An instance's name is unique in the deployment."""

    status, code = 409, "AlreadyExists"

    def __init__(self, name: str) -> None:
        super().__init__(f"An account named '{name}' is already in use.", "farmBeatsResourceName")


class InvalidTagsError(ControlError):
    """Tags break Azure's rules."""

    status, code = 400, "InvalidTags"

    def __init__(self, problem: str) -> None:
        super().__init__(problem, "tags")


class InvalidTagCharactersError(ControlError):
    """A tag's name has characters that it must not have."""

    status, code = 400, "InvalidTagNameCharacters"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"The tag names '{','.join(names)}' have reserved characters '<,>,%,&,\\,?,/' or control characters.",
            "tags",
        )


class MissingRegistrationError(ControlError):
    """The subscription has not registered the resource provider."""

    status, code = 409, "MissingSubscriptionRegistration"

    def __init__(self, namespace: str) -> None:
        # The namespace is the last thing in quotes: azure-mgmt-core finds it there, and registers it by itself.
        super().__init__(
            f"The subscription is not registered to use namespace '{namespace}'. See "
            "https://aka.ms/rps-not-found for how to register subscriptions.",
            namespace,
        )


class StillInUseError(ControlError):
    """A provider of which the subscription has resources stays registered."""

    status, code = 409, "SubscriptionStillUsed"

    def __init__(self, namespace: str) -> None:
        super().__init__(
            f"The subscription has resources of namespace '{namespace}'. Delete them before you unregister it."
        )


class TermsNotAcceptedError(ControlError):
    """The subscription has not accepted the terms as they are now."""

    status, code = 400, "ResourcePurchaseValidationFailed"

    def __init__(self, subscription: str, version: str) -> None:
        super().__init__(
            "User failed validation to purchase resources. Error message: 'You have not accepted the legal terms on "
            f"this subscription: '{subscription}' for this plan. Before the subscription can be used, you need to "
            f"accept the legal terms (version {version}): by 'headland subscription accept-terms', or by a PUT of "
            "the agreement of publisher 'headland', offer 'farmbeats', plan 'terms''."
        )


class DeletingError(ControlError):
    """A group that is being deleted takes nothing new."""

    status, code = 409, "ResourceGroupBeingDeleted"

    def __init__(self, group: str) -> None:
        super().__init__(
            f"The resource group '{group}' is in deprovisioning state and cannot perform this operation."
        )


class DeletionBlockedError(ControlError):
    """A group could not be deleted whole."""

    status, code = 409, "ResourceGroupDeletionBlocked"


class RoleNotFoundError(ControlError):
    """There is no such role definition."""

    status, code = 404, "RoleDefinitionDoesNotExist"

    def __init__(self, role: str) -> None:
        super().__init__(f"The specified role definition with ID '{role}' does not exist.")


class AssignmentNotFoundError(ControlError):
    """There is no such role assignment at this scope."""

    status, code = 404, "RoleAssignmentNotFound"

    def __init__(self, name: str) -> None:
        super().__init__(f"The role assignment '{name}' is not found.")


class PrincipalNotFoundError(ControlError):
    """The tenant has no application with that object id."""

    status, code = 400, "PrincipalNotFound"

    def __init__(self, principal: str, tenant: str) -> None:
        super().__init__(
            f"Principal {principal.replace('-', '')} does not exist in the directory {tenant}. Check that you have "
            "the correct principal ID: it is an application's object id, and not its client id.",
            "principalId",
        )


class PrincipalTypeError(ControlError):
    """What the principal is said to be it is not."""

    status, code = 400, "UnmatchedPrincipalType"

    def __init__(self, principal: str, kind: str, said: str) -> None:
        super().__init__(
            f"The PrincipalId '{principal.replace('-', '')}' has type '{kind}', which is different from specified "
            f"PrincipalType '{said}'.",
            "principalType",
        )


class RoleAssignmentExistsError(ControlError):
    """The same assignment is there already, under another name."""

    status, code = 409, "RoleAssignmentExists"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The role assignment already exists. The ID of the conflicting role assignment is {name}."
        )


class AssignmentFixedError(ControlError):
    """An assignment's role, principal and scope stay as they are."""

    status, code = 409, "RoleAssignmentUpdateNotPermitted"

    def __init__(self) -> None:
        super().__init__(
            "Tenant ID, application ID, principal ID, and scope are not allowed to be updated. Delete the role "
            "assignment and make another one."
        )


class SecondDataRoleError(ControlError):
    """An application has one role on an instance's data."""

    status, code = 409, "DataRoleConflict"

    def __init__(self, application: str, present: str, scope: str, assignment: str) -> None:
        super().__init__(
            f"The application '{application}' already has the role '{present}' at '{scope}' (role assignment "
            f"{assignment}). An application has one data role on an instance: remove that one first, or register "
            "another application."
        )


class AccessConflictError(ControlError):
    """A request for access can't be made or decided as things stand."""

    status, code = 409, "Conflict"


class SubscriptionNotEmptyError(ControlError):
    """What is in a subscription would be in none."""

    status, code = 409, "SubscriptionNotEmpty"

    def __init__(self, id_: str, group: str) -> None:
        super().__init__(
            f"The subscription '{id_}' can't be removed while resource group '{group}' is in it; delete that first."
        )


class AdministratorNeededError(ControlError):
    """Administrators alone may do this."""

    status, code = 403, "AuthorizationFailed"

    def __init__(self, client: str) -> None:
        super().__init__(
            f"The client '{client}' is no administrator of this deployment, who alone may do this."
        )
