"""Prometheus metrics of all processes, gathered where they are asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database
from headland.http.operations import Answer, Operation
from headland.jobs.batches import store as batch_rows
from headland.jobs.batches import waiting
from headland.jobs.batches.service import now
from headland.jobs.batches.states import State as BatchState
from headland.jobs.sessions import store as session_rows
from headland.jobs.sessions.counts import count_by_state
from headland.jobs.sessions.states import State as SessionState
from headland.settings import Home


class _Jobs:
    """Jobs of one sort by state, and how long the first of those that wait has done so; counted already."""

    def __init__(self, sort: str, states: Iterable[str], counted: Mapping[str, int], waited: float) -> None:
        """`sort` in the plural; `waited` is in seconds."""
        self._sort = sort
        self._states = states
        self._counted = counted
        self._waited = waited

    def collect(self) -> Iterator[Metric]:
        gauge = GaugeMetricFamily(
            f"headland_{self._sort}", f"{self._sort.capitalize()} by state.", labels=["state"]
        )
        for state in self._states:
            gauge.add_metric([state], self._counted.get(state, 0))
        yield gauge
        yield GaugeMetricFamily(
            f"headland_{self._sort}_waiting_seconds",
            "How long has waited what no controller has taken on for the longest; 0 if nothing waits.",
            value=self._waited,
        )


def metrics_operation(database: Database, home: Home, clock: Callable[[], int] = now) -> Operation:
    """The operation. It is served on the private listener only."""

    def waited(oldest: Callable[[Connection], int | None]) -> float:
        since = database.read(oldest)
        return 0.0 if since is None else max(0.0, (clock() - since) / 1000)

    async def get_metrics(_request: Request) -> Response:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(home.metrics))  # type: ignore[no-untyped-call]
        batches = database.read(batch_rows.count_by_state)
        registry.register(_Jobs("batches", BatchState, batches, waited(waiting.oldest)))
        sessions = await count_by_state(database, home)
        registry.register(_Jobs("sessions", SessionState, sessions, waited(session_rows.oldest_waiting)))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return Operation(
        "GET",
        "/metrics",
        get_metrics,
        "Prometheus metrics.",
        {200: Answer("Metrics.", "text/plain")},
        guarded=False,
    )
