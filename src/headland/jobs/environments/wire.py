"""What goes over HTTP about environments. All of it is Headland's own: Livy has nothing of the kind."""

from typing import Literal

from msgspec import Struct

State = Literal["building", "ready", "failed"]


class EnvironmentRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What environment to make."""

    #: Lower-case letters, digits, `.`, `_` and `-`, up to 63; unique.
    name: str
    #: The text of a requirements file: names of packages with versions, markers and hashes.
    requirements: str


class Package(Struct, frozen=True):
    """An installed package."""

    name: str
    version: str


class Environment(Struct, frozen=True, rename="camel"):
    """An environment. `conf["spark.headland.environment"]` of a batch or session chooses it by name."""

    name: str
    #: `building`, then `ready` or `failed`.
    state: State
    #: Client id of the application that made it; null for the one that comes with Headland.
    owner: str | None
    #: Whether it is what a request gets that names none.
    default: bool
    #: The minor version of its Python, once it is ready.
    python: str | None
    #: What its packages are known by, once it is ready.
    digest: str | None
    #: How many packages it has, once it is ready.
    package_count: int | None
    #: Bytes on disk, once it is ready.
    size: int | None
    #: Milliseconds since 1970.
    created_at: int | None
    #: Why it failed.
    problem: str | None


class EnvironmentDetails(Environment, frozen=True, rename="camel"):
    """An environment with what is in it."""

    requirements: str
    packages: list[Package]
    #: What the build has said so far, at most its last 64 KiB.
    output: str


class EnvironmentList(Struct, frozen=True):
    """All environments, by name."""

    environments: list[Environment]
