"""Settings of the portal."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.units import Count, Seconds


class ProviderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A provider by which people sign in."""

    name: Annotated[
        str, Meta(min_length=1, max_length=60, description="What people know it as.", examples=["Our login"])
    ]
    issuer: Annotated[
        str,
        Meta(
            description="Its issuer, one of `security.issuers`: what that says of claims and roles counts for people, "
            "too.",
            examples=["https://login.example.org/realms/farm"],
        ),
    ]
    client_id: Annotated[
        str, Meta(min_length=1, description="Client id of the portal there.", examples=["headland-portal"])
    ]
    client_secret: Annotated[
        str | None,
        Meta(
            description="Its secret there; a public client has none. The portal's redirect URI there is the public URL "
            "with `/portal/sign-in/back`.",
            examples=["…"],
        ),
    ] = None
    scopes: Annotated[tuple[str, ...], Meta(min_length=1, description="Scopes that are asked for.")] = (
        "openid",
        "profile",
    )


class PortalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The portal: its sign-ins and sessions."""

    session_idle: Annotated[
        Seconds, Meta(description="How long somebody stays signed in without a request.")
    ] = 3600.0
    session_lifetime: Annotated[
        Seconds, Meta(description="How long somebody stays signed in, however busy.")
    ] = 43_200.0
    providers: Annotated[
        tuple[ProviderSettings, ...],
        Meta(
            description="Providers elsewhere by which people sign in: `[[portal.providers]]`, one each.",
            examples=[
                [
                    {
                        "name": "Our login",
                        "issuer": "https://login.example.org/realms/farm",
                        "client_id": "headland-portal",
                    }
                ]
            ],
        ),
    ] = ()
    sign_ins_a_minute: Annotated[
        Count,
        Meta(
            description="Sign-ins that are tried, right or wrong, a minute, account and worker process: half as many "
            "from one address, and four times as many of all accounts from there; more are answered with 429. Browsers "
            "in which the person has signed in before have a limit of their own, so that others' guesses lock nobody "
            "out. One-time codes are counted likewise."
        ),
    ] = 10
