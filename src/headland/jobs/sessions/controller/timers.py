"""When has a session lived long enough? Rules over what is known; they touch nothing.

| timer | from | what sets it back |
| --- | --- | --- |
| time to live | it was up | nothing |
| idle | it was up | whatever asks something of its host; it does not run while the session is at work |
| heartbeat | it was up | every request for the session by id or name |

No timer runs while the service is away: a notebook could not have said that it is still there.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clocks:
    """What is known of one session. Times are seconds since the epoch."""

    now: float
    #: When this controller began to look after it.
    since: float
    started_at: float
    #: None while it is at work.
    idle_since: float | None
    last_beat: float


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds; 0 sets no limit."""

    ttl: float
    idle: float
    heartbeat: float


def why_to_stop(clocks: Clocks, limits: Limits) -> str | None:
    """The reason to stop a session, in words; None where there is none."""
    if limits.ttl and clocks.now - clocks.started_at >= limits.ttl:
        return f"The session's time to live is over: {limits.ttl:g} seconds."
    if limits.idle and clocks.idle_since is not None:
        idle = clocks.now - max(clocks.idle_since, clocks.since)
        if idle >= limits.idle:
            return f"The session has been idle for {limits.idle:g} seconds."
    if (
        limits.heartbeat
        and clocks.now - max(clocks.last_beat, clocks.since, clocks.started_at) >= limits.heartbeat
    ):
        return f"Nobody has asked for the session for {limits.heartbeat:g} seconds (its heartbeat timeout)."
    return None
