"""How many sessions are in which state, as their owners see them."""

import asyncio
from collections import Counter

from headland.database import Database
from headland.jobs.sessions import store
from headland.jobs.sessions.host_calls import about
from headland.jobs.sessions.shown import state_of
from headland.jobs.sessions.states import State
from headland.settings import Home

#: Seconds that a host gets to say how its session does, where many are asked.
_PATIENCE = 1.0


async def count_by_state(database: Database, home: Home) -> Counter[str]:
    """Visible sessions by state. Hosts are asked, all at once."""
    rows, ended = database.read_snapshot(
        lambda connection: (store.unfinished(connection), store.count_ended(connection))
    )
    rows = [row for row in rows if row.delete_requested_at is None]
    told = await asyncio.gather(
        *(about(home.sessions / row.run_key, row, patience=_PATIENCE) for row in rows)
    )
    counted = Counter(state_of(row, said) for row, said in zip(rows, told, strict=True))
    counted[State.DEAD] += ended
    return counted
