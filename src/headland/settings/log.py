"""Settings of the service's own log."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class LogSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The service's own log."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Least level written.")
    ] = "info"
    format: Annotated[
        Literal["auto", "json", "console"],
        Meta(description="`json` lines, `console` for eyes; `auto` is console on a terminal, else JSON."),
    ] = "auto"
