import pytest

from headland.control.actions import is_data_action
from headland.control.app import OPERATIONS
from headland.control.roles import ROLES, SERVICE_CONTRIBUTOR, Role
from headland.control.scopes import covers


@pytest.mark.parametrize(
    ("pattern", "action", "allowed"),
    [
        ("*", "Microsoft.X/y/read", True),
        ("*/read", "Microsoft.X/y/READ", True),
        ("*/read", "Microsoft.X/y/readers", False),
        ("Microsoft.X/*/write", "Microsoft.X/a/b/write", True),
        ("Microsoft.X/*/write", "Microsoft.X/write", False),
        ("Microsoft.X/a.b/read", "Microsoft.X/aXb/read", False),
        ("microsoft.x/y/read", "Microsoft.X/Y/Read", True),
    ],
)
def test_wildcards(pattern, action, allowed):
    assert Role("1", "r", "", actions=(pattern,)).allows(action, data=False) is allowed
    assert Role("1", "r", "", data_actions=(pattern,)).allows(action, data=True) is allowed
    both = Role("1", "r", "", actions=("*",), not_actions=(pattern,))
    assert both.allows(action, data=False) is not allowed
    assert not Role("1", "r", "", data_actions=(pattern,)).allows(action, data=False)


def test_no_declared_operation_is_about_data():
    for operation in OPERATIONS:
        if operation.action is not None:
            assert not is_data_action(operation.action), operation.action


@pytest.mark.parametrize(
    "action",
    ["Microsoft.AgFoodPlatform/farmBeats/parties/read", "microsoft.agfoodplatform/FarmBeats/scenes/read"],
)
def test_all_else_below_the_namespace_is(action):
    assert is_data_action(action)


def test_ids_and_names_are_unique():
    assert len({role.id for role in ROLES}) == len({role.name for role in ROLES}) == len(ROLES)


def test_a_contributor_has_no_way_to_delete():
    for action in ("parties/delete", "deletionJobs/parties/write", "deletionJobs/x/y/write"):
        assert not SERVICE_CONTRIBUTOR.allows(f"Microsoft.AgFoodPlatform/farmBeats/{action}", data=True)


@pytest.mark.parametrize(
    ("upper", "lower", "held"),
    [
        ("/", "/subscriptions/a", True),
        ("/subscriptions/a", "/subscriptions/a", True),
        ("/subscriptions/a", "/subscriptions/a/resourcegroups/b", True),
        ("/subscriptions/a", "/subscriptions/ab", False),
        ("/subscriptions/a/resourcegroups/b", "/subscriptions/a", False),
        ("/subscriptions/a/resourcegroups/b", "/subscriptions/a/resourcegroups/bc", False),
    ],
)
def test_scopes(upper, lower, held):
    assert covers(upper, lower) is held


def test_what_needs_no_role_is_named_here():
    """Everybody with a token may ask for these, and the last one everybody. Their handlers show the caller's own alone,
    or demand an administrator.
    """
    provider = "/providers/Microsoft.AgFoodPlatform"
    open_ = {(item.method, item.path) for item in OPERATIONS if item.action is None}
    assert open_ == {
        ("GET", "/subscriptions"),
        ("DELETE", "/control/subscriptions/{subscriptionId}"),
        ("GET", "/tenants"),
        ("GET", "/providers"),
        ("GET", "/providers/{resourceProviderNamespace}"),
        ("GET", f"{provider}/operations"),
        ("GET", f"{provider}/farmBeatsExtensionDefinitions"),
        ("GET", f"{provider}/farmBeatsExtensionDefinitions/{{farmBeatsExtensionId}}"),
        ("GET", f"{provider}/farmBeatsSolutionDefinitions"),
        ("GET", f"{provider}/farmBeatsSolutionDefinitions/{{farmBeatsSolutionId}}"),
        ("GET", "/subscriptions/{subscriptionId}/operationresults/{operationId}"),
        ("GET", "/{scope:path}/providers/Microsoft.Authorization/permissions"),
        ("POST", "/control/access-requests"),
        ("GET", "/control/access-requests"),
        ("GET", "/control/access-requests/{requestId}"),
        ("POST", "/control/access-requests/{requestId}/approve"),
        ("POST", "/control/access-requests/{requestId}/refuse"),
        ("GET", "/control/instances"),
        ("GET", "/control/terms"),
    }
    assert [item.path for item in OPERATIONS if not item.guarded] == ["/control/terms"]
