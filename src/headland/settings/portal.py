"""Settings of the portal."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.units import Count, Seconds


class PortalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The portal: its sign-ins and sessions."""

    session_idle: Annotated[
        Seconds, Meta(description="How long somebody stays signed in without a request.")
    ] = 3600.0
    session_lifetime: Annotated[
        Seconds, Meta(description="How long somebody stays signed in, however busy.")
    ] = 43_200.0
    sign_ins_a_minute: Annotated[
        Count,
        Meta(
            description="Sign-ins that are tried, right or wrong, a minute, account and worker process, and four times "
            "as many an address; more are answered with 429."
        ),
    ] = 10
