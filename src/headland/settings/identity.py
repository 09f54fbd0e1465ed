"""Settings of the token service."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.resources import (
    CLASSIC_MANAGEMENT_RESOURCE,
    CLUSTER_ACCESS_RESOURCE,
    FARM_RESOURCE,
    MANAGEMENT_RESOURCE,
)
from headland.settings.units import Whole


class IdentitySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The token service."""

    tenant_name: Annotated[
        str, Meta(min_length=1, max_length=256, description="Name of the first tenant.")
    ] = "Headland"
    token_lifetime: Annotated[
        int,
        Meta(
            ge=60,
            le=86_400,
            description="How long an access token is valid.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 3599
    token_lifetimes: Annotated[
        dict[str, Annotated[int, Meta(ge=60, le=86_400)]],
        Meta(
            description="How long access tokens for single resources are valid, by resource identifier.",
            examples=[{"https://management.azure.com": 900}],
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = {}
    single_use_assertions: Annotated[
        bool,
        Meta(
            description="Whether a signed client assertion opens the token endpoint once, and never again. MSAL for "
            "Python and for JavaScript use one for up to 10 minutes: their clients are refused then."
        ),
    ] = False
    failed_attempts_a_minute: Annotated[
        Whole,
        Meta(
            description="Attempts with wrong credentials that are answered in full, a minute, client and worker "
            "process, and four times as many an address; more are answered with 429. Right credentials are always "
            "taken. 0 sets no limit."
        ),
    ] = 30
    key_lifetime: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a signing key signs before the next one takes over; 0 lets it sign until an operator "
            "rotates it.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 7_776_000.0
    key_overlap: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a new signing key is published before it signs: longer than verifiers elsewhere keep "
            "a key set without asking again.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 86_400.0
    secret_lifetime_days: Annotated[
        int,
        Meta(
            ge=1,
            le=3650,
            description="How long a new client secret is valid, unless its maker says otherwise.",
            extra_json_schema={"x-unit": "days"},
        ),
    ] = 730
    cluster_access_urls: Annotated[
        tuple[str, ...],
        Meta(
            description="Resource addresses of the cluster access endpoint: tokens for them open the job service."
        ),
    ] = (CLUSTER_ACCESS_RESOURCE,)
    resources: Annotated[
        tuple[str, ...], Meta(description="Further resource identifiers that tokens may be asked for.")
    ] = (FARM_RESOURCE, MANAGEMENT_RESOURCE, CLASSIC_MANAGEMENT_RESOURCE)

    @property
    def longest_token_lifetime(self) -> int:
        """Seconds: no token lives longer, whatever it is for."""
        return max(self.token_lifetime, *self.token_lifetimes.values(), 0)
