"""Settings of addresses and processes."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from headland.settings.units import Bytes, Count, Port, Seconds, Whole

#: Addresses to listen on that mean this machine, by whatever address, or no address that somebody could call.
_HERE = frozenset({"127.0.0.1", "::1", "localhost", "0.0.0.0", "::"})  # noqa: S104 - nothing is bound here

#: A port that an https address need not name.
_HTTPS = 443

ServiceName = Literal["identity", "jobs", "control", "farm", "portal"]


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Addresses and processes."""

    public_url: Annotated[
        str,
        Meta(
            pattern=r"^https://[^/?#\s]+$",
            description="The address by which clients reach the public base: tokens and links name it. Unless it is "
            "set it follows `server.host` and `server.port`: `https://<host>:<port>`, with `localhost` for a loopback "
            "address and where all addresses are listened on, so at first `https://localhost:8443`.",
            examples=["https://farm.example"],
        ),
    ] = ""
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
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(
            description="Addresses and networks (CIDR) of reverse proxies before Headland. From them alone is believed "
            "on whose behalf they call (`server.forwarded_header`): that address is then the one that is limited, "
            "listed with sessions and on record in the audit trail. Behind a proxy that is not named here, everybody "
            "has the proxy's address.",
            examples=[["127.0.0.1", "10.0.0.0/24"]],
        ),
    ] = ()
    forwarded_header: Annotated[
        Literal["x-forwarded-for", "forwarded"],
        Meta(
            description="The header in which those proxies say so: `x-forwarded-for`, or `forwarded` (RFC 7239). It "
            "must be the one that they set themselves; the other one is not looked at."
        ),
    ] = "x-forwarded-for"
    private_requested_by: Annotated[
        bool, Meta(description="Whether the private listener, too, demands `X-Requested-By` on POST.")
    ] = False
    private_names: Annotated[
        tuple[str, ...],
        Meta(
            description="Host names by which the private listener is called, beside addresses, `localhost`, this "
            "machine's name, `server.private_host` and the host of `server.public_url`. A request with another one is "
            "refused: any page may have a name that means this machine.",
            examples=[["livy.farm.example"]],
        ),
    ] = ()
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
    max_connections: Annotated[
        Count,
        Meta(
            description="Connections that a worker process of a listener holds at once; fewer where the system gives "
            "it fewer file descriptors."
        ),
    ] = 4096
    connections_per_address: Annotated[
        Whole,
        Meta(
            description="Connections that one client address (of IPv6: one /64 network) may hold of those; the newest "
            "beyond them are closed. 0 for no such limit: behind a reverse proxy all come from one address."
        ),
    ] = 512
    first_request_timeout: Annotated[
        Seconds,
        Meta(
            description="How long a new connection may take until its first request's headers have come, the TLS "
            "handshake included."
        ),
    ] = 15.0
    idle_timeout: Annotated[
        Seconds,
        Meta(
            description="How long a connection may stay open without a request under way, and without taking an "
            "answer."
        ),
    ] = 75.0
    body_timeout: Annotated[
        Seconds,
        Meta(description="How long a request's body may pause; then the request is refused with 408."),
    ] = 30.0
    body_rate: Annotated[
        Bytes,
        Meta(
            description="Bytes a second that a body must have on average beyond `server.body_timeout`, as far as "
            "Headland waits for them."
        ),
    ] = 1024
    shutdown_grace: Annotated[
        Seconds, Meta(description="How long requests under way get to finish when the service stops.")
    ] = 10.0

    def __post_init__(self) -> None:
        if not self.public_url:
            structs.force_setattr(self, "public_url", _https_url(self.host, self.port))


def http_authority(host: str, port: int) -> str:
    """Host and port as a URL has them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _https_url(host: str, port: int) -> str:
    name = "localhost" if host in _HERE else host
    return f"https://{http_authority(name, port)}".removesuffix(f":{_HTTPS}")
