"""The control plane: subscriptions, resource groups, provider registration, instances, roles and assignments."""

from headland.control.app import CONTROL_API, control_app
from headland.control.authorization import RoleAuthorizer
from headland.control.deployer import Deployer, InstanceStores
from headland.control.directory import Directory
from headland.control.errors import ControlError
from headland.control.lookup import Instances
from headland.control.service import ControlService
from headland.control.subscriptions import belongings, initialise
from headland.control.terms import Terms

__all__ = [
    "CONTROL_API",
    "ControlError",
    "ControlService",
    "Deployer",
    "Directory",
    "InstanceStores",
    "Instances",
    "RoleAuthorizer",
    "Terms",
    "belongings",
    "control_app",
    "initialise",
]
