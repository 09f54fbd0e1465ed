"""Settings of the public base's certificate."""

from typing import Annotated

from msgspec import Meta, Struct


class TlsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The public base's certificate."""

    certificate: Annotated[
        str | None,
        Meta(
            description="PEM file of your own server certificate with its chain; unset, a local CA issues one.",
            examples=["/etc/headland/tls/chain.pem"],
        ),
    ] = None
    key: Annotated[
        str | None,
        Meta(description="PEM file of the key to `tls.certificate`.", examples=["/etc/headland/tls/key.pem"]),
    ] = None
    names: Annotated[
        tuple[str, ...],
        Meta(
            description="Further host names and addresses that the issued certificate is valid for.",
            examples=[["headland.example.org", "192.0.2.17"]],
        ),
    ] = ()
