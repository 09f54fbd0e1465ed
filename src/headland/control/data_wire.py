"""What goes over HTTP of Headland's own: the instances whose data somebody may use."""

from msgspec import Struct


class InstanceOfData(Struct, frozen=True, rename="camel"):
    """An instance: its resource id, name and type, where it is, and `Creating`, `Succeeded` or `Failed`."""

    id: str
    name: str
    type: str
    location: str
    provisioning_state: str


class InstanceOfDataList(Struct, frozen=True):
    """Instances, by name."""

    value: list[InstanceOfData]
