"""Instances, as the farm service knows them; whoever provisions them keeps the directory."""

from dataclasses import dataclass
from typing import Protocol

from headland.farm.errors import InstanceNotFoundError, InstanceNotReadyError, InstanceUnusableError

#: Provisioning states in which the store is there; an instance that is being updated goes on serving.
_SERVING = frozenset({"Succeeded", "Updating"})
_COMING = frozenset({"Accepted", "Creating"})


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance."""

    name: str
    #: What roles are assigned on.
    resource_id: str
    #: Of its store (`headland.farm.stores.Stores`): another one for each instance that was ever made.
    store_key: str
    #: The resource manager's word for it, such as `Succeeded`.
    state: str


class Instances(Protocol):
    """The directory. Asked with every request."""

    def find(self, name: str) -> Instance | None:
        """The instance with this name, in whatever case, or None."""
        ...


def serving(instances: Instances, name: str) -> Instance:
    """The instance with this name, if it can be used.

    Raises:
        InstanceNotFoundError: there is none, or it is being deleted.
        InstanceNotReadyError: it is being made.
        InstanceUnusableError: its making failed.
    """
    instance = instances.find(name)
    if instance is None or instance.state == "Deleting":
        raise InstanceNotFoundError(name)
    if instance.state in _SERVING:
        return instance
    problem = InstanceNotReadyError if instance.state in _COMING else InstanceUnusableError
    raise problem(instance.name, instance.state)
