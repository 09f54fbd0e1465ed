"""Batches and sessions as Livy shows them."""

from typing import Any

import click
from msgspec import Struct, field

from headland.cli.output import plain, print_record

_LINKS = {
    "driverLogUrl": "Driver log",
    "sparkUiUrl": "Spark UI",
    "executorLogUrls": "Executor logs",
}


class Job(Struct):
    """What commands need of a batch or session."""

    id: int
    state: str
    name: str | None = None
    owner: str | None = None
    #: Of a session.
    kind: str | None = None
    proxy_user: str | None = field(default=None, name="proxyUser")
    app_id: str | None = field(default=None, name="appId")
    app_info: dict[str, str | None] | None = field(default=None, name="appInfo")
    log: list[str] | None = None


def print_job(job: Job) -> None:
    """The record, and the end of the log."""
    fields: dict[str, Any] = {"Id": job.id, "Name": job.name}
    if job.kind is not None:
        fields["Kind"] = job.kind
    fields |= {
        "State": job.state,
        "Owner": job.owner,
        "Proxy user": job.proxy_user,
        "Application": job.app_id,
        **{_LINKS.get(name, name): value for name, value in (job.app_info or {}).items()},
    }
    print_record(fields)
    if job.log:
        click.echo("\nEnd of the log:")
        for line in job.log:
            click.echo(f"  {plain(line.strip())}")
