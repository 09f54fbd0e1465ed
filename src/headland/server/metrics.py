"""Prometheus metrics of all processes, gathered where they are asked for."""

from collections.abc import Callable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database
from headland.http.operations import Answer, Operation
from headland.jobs.batches import store, waiting
from headland.jobs.batches.service import now
from headland.jobs.batches.states import State


class _Batches:
    """Batches by state, counted when somebody asks."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        counted = self._database.read(store.count_by_state)
        gauge = GaugeMetricFamily("headland_batches", "Batches by state.", labels=["state"])
        for state in State:
            gauge.add_metric([state], counted.get(state, 0))
        yield gauge
        oldest = self._database.read(waiting.oldest)
        yield GaugeMetricFamily(
            "headland_batches_waiting_seconds",
            "How long the batch has waited that no controller has taken on for the longest; 0 if none waits.",
            value=0.0 if oldest is None else max(0.0, (self._clock() - oldest) / 1000),
        )


def metrics_operation(database: Database, folder: Path, clock: Callable[[], int] = now) -> Operation:
    """The operation. It is served on the private listener only."""

    async def get_metrics(_request: Request) -> Response:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
        registry.register(_Batches(database, clock))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return Operation(
        "GET",
        "/metrics",
        get_metrics,
        "Prometheus metrics.",
        {200: Answer("Metrics.", "text/plain")},
        guarded=False,
    )
