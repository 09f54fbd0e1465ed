"""Settings of addresses and processes."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headland.settings.units import Bytes, Count, Port, Seconds

ServiceName = Literal["identity", "jobs", "control", "farm", "portal"]


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Addresses and processes."""

    public_url: Annotated[
        str,
        Meta(
            pattern=r"^https://[^/?#\s]+$",
            description="The address by which clients reach the public base: tokens and links name it.",
        ),
    ] = "https://localhost:8443"
    host: Annotated[
        str,
        Meta(
            min_length=1, description="Address the public base listens on; loopback unless you say otherwise."
        ),
    ] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port of the public base (HTTPS).")] = 8443
    private_host: Annotated[
        str,
        Meta(
            min_length=1, description="Address the private listener (HTTP, jobs without a prefix) listens on."
        ),
    ] = "127.0.0.1"
    private_port: Annotated[Port, Meta(description="Port of the private listener, Livy's own.")] = 8998
    private_authentication: Annotated[
        Literal["bearer", "basic", "none"],
        Meta(
            description="What the private listener asks of a caller: `bearer` a token; `basic` also takes HTTP Basic "
            "with client id and secret; `none` lets callers in who show nothing."
        ),
    ] = "bearer"
    private_requested_by: Annotated[
        bool, Meta(description="Whether the private listener, too, demands `X-Requested-By` on POST.")
    ] = False
    workers: Annotated[Count, Meta(description="Worker processes of each listener.")] = 1
    services: Annotated[
        tuple[ServiceName, ...],
        Meta(
            min_length=1,
            description="The services that run: `identity`, `jobs`, `control`, `farm`, and their `portal`, which needs "
            "`identity`.",
        ),
    ] = ("identity", "jobs", "control", "farm", "portal")
    max_body: Annotated[
        Bytes,
        Meta(description="Largest request body of the APIs; uploads have a limit of their own."),
    ] = 1_048_576
    shutdown_grace: Annotated[
        Seconds, Meta(description="How long requests under way get to finish when the service stops.")
    ] = 10.0
