"""Settings of where rows are kept."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.units import Count, Seconds


class DatabaseSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where rows are kept."""

    url: Annotated[
        Annotated[str, Meta(pattern=r"^(sqlite:///.+|postgres(ql)?://.+)")] | None,
        Meta(
            description="`sqlite:///<file>`, or `postgresql://<user>@<host>/<database>` for PostgreSQL 15 or later, "
            "which then has the farm's stores as well (docs/operating.md); unset, `headland.db` in the home.",
            examples=[
                "sqlite:////var/lib/headland/headland.db",
                "postgresql://headland@db.example.com/headland?sslmode=verify-full",
            ],
        ),
    ] = None
    busy_timeout: Annotated[
        Seconds,
        Meta(description="How long a write waits for another process's write before it fails with 503."),
    ] = 10.0
    connections: Annotated[
        Count,
        Meta(
            description="How many connections to PostgreSQL each process has at the most for reads, and as many for "
            "writes.",
        ),
    ] = 4
