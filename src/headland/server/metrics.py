"""Prometheus metrics of all processes, gathered where they are asked for."""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database
from headland.http.operations import Answer, Operation
from headland.jobs.batches import store
from headland.jobs.batches.states import State


class _Batches:
    """Batches by state, counted when somebody asks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[Metric]:
        counted = self._database.read(store.count_by_state)
        gauge = GaugeMetricFamily("headland_batches", "Batches by state.", labels=["state"])
        for state in State:
            gauge.add_metric([state], counted.get(state, 0))
        yield gauge


def metrics_operation(database: Database, folder: Path) -> Operation:
    """The operation. It is served on the private listener only."""

    async def get_metrics(_request: Request) -> Response:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
        registry.register(_Batches(database))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return Operation(
        "GET",
        "/metrics",
        get_metrics,
        "Prometheus metrics.",
        {200: Answer("Metrics.", "text/plain")},
        guarded=False,
    )
