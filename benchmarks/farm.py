"""Documents of the farm service over HTTPS: read beside a bare application that answers with the same bytes, written
beside SQLite's own commits.
"""

import json
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.commits import COMMITS, commits, equal_database
from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, interleaved, row
from benchmarks.instances import PARTY, Instance, field, fill, provisioned
from benchmarks.loading import EACH, Target, ask, rate, rate_per_core
from benchmarks.serving import Served, bare, folder, headland

#: Ten thousand pages of the smallest kind.
FIELDS = 100_000
PAGE = 10
#: Pages, and single fields, that are asked for in turns: too many to be remembered.
PAGES = 100
MANY = 3000
ROUNDS = 5
SECONDS = 1.0
COMMITS_A_ROUND = 500

READS = Aim(least=0.5)
WRITES = Aim(least=0.5)
DEEP = Aim(least=0.9)
UNIT = "requests/s a core"
BARE = "bare Starlette + msgspec over TLS, same bytes"

_FIELDS = f"/parties/{PARTY}/fields"

#: By the file that the bare application answers with: path, query, and the row's name.
ASKED = {
    "field": (f"{_FIELDS}/field-{FIELDS // 2:06}", "", "GET one field"),
    "fields": ("/fields", "maxPageSize=100", "GET a list of 100 fields"),
    "party-fields": (_FIELDS, f"farmIds=farm-{FIELDS // 50}", "GET the 20 fields of one farm"),
}


def farm() -> list[Row]:
    """An instance with 100,000 fields."""
    with folder() as within, ExitStack() as serving:
        served = serving.enter_context(headland(within, server_services="identity,control,farm"))
        instance = provisioned(served)
        fill(served, instance, FIELDS)
        return [*_read(served, instance, within), _deep(served, instance), _write(served, instance, within)]


def _read(served: Served, instance: Instance, within: Path) -> list[Row]:
    answers = within / "answers"
    answers.mkdir()
    targets = {
        name: _target(served, instance, instance.below(path, query))
        for name, (path, query, _) in ASKED.items()
    }
    for name, target in targets.items():
        (answers / f"{name}.json").write_bytes(ask(target))
    rows = []
    tls = served.home / "tls"
    with bare(answers, tls / "server.pem", tls / "server.key") as (port, pid):
        for name, target in targets.items():
            beside = _beside(port, target)
            if ask(beside) != ask(target):
                raise BenchmarkError(f"the bare application answers otherwise for {target.path}")
            ours, theirs = interleaved(
                ROUNDS,
                partial(rate_per_core, target, served.pid, SECONDS),
                partial(rate_per_core, beside, pid, SECONDS),
            )
            rows.append(row(ASKED[name][2], UNIT, ours, Yardstick(BARE, theirs), READS))
        paths = [instance.below(f"{_FIELDS}/field-{number:06}") for number in range(MANY)]
        ours, theirs = interleaved(
            ROUNDS,
            partial(rate_per_core, _target(served, instance, *paths), served.pid, SECONDS),
            partial(rate_per_core, _beside(port, _target(served, instance, *paths)), pid, SECONDS),
        )
        rows.append(row(f"GET {MANY:,} fields in turns", UNIT, ours, Yardstick(BARE, theirs)))
    return rows


def _deep(served: Served, instance: Instance) -> Row:
    """The last hundred of ten thousand pages beside the first."""
    size = f"maxPageSize={PAGE}"
    first = _walk(served, instance, instance.below(_FIELDS, size), PAGES)
    # As far in longer steps.
    longest = 1000
    far = instance.below(_FIELDS, f"maxPageSize={longest}")
    *_, last = _walk(served, instance, far, (FIELDS - PAGES * PAGE) // longest + 1)
    last = last.replace(f"maxPageSize={longest}", size)
    deep = _walk(served, instance, last if size in last else f"{last}&{size}", PAGES)
    ours, theirs = interleaved(
        ROUNDS,
        *(
            partial(rate_per_core, _target(served, instance, *pages), served.pid, SECONDS)
            for pages in (deep, first)
        ),
    )
    beside = Yardstick(f"pages 1 to {PAGES} of the same list", theirs)
    name = f"GET pages {FIELDS // PAGE - PAGES + 1:,} to {FIELDS // PAGE:,} of a list"
    return row(name, UNIT, ours, beside, DEEP)


def _walk(served: Served, instance: Instance, path: str, pages: int) -> list[str]:
    """The paths of so many pages, from `path` on."""
    found = [path]
    while len(found) < pages:
        page = json.loads(ask(_target(served, instance, found[-1])))
        if "nextLink" not in page:
            raise BenchmarkError(f"the list ends after {len(found)} pages")
        found.append(page["nextLink"].removeprefix(f"https://localhost:{served.port}"))
    return found


def _write(served: Served, instance: Instance, within: Path) -> Row:
    """New fields, each acknowledged when it is on disk."""
    headers = instance.headers | {"Content-Type": "application/merge-patch+json"}
    body = {name: value for name, value in field(FIELDS).items() if name not in {"partyId", "id"}}
    path = instance.below(f"{_FIELDS}/new-{EACH}")
    ca = str(served.home / "tls" / "ca.pem")
    patch = Target(
        served.port,
        "PATCH",
        path,
        headers,
        json.dumps(body | {"farmId": "farm-0"}).encode(),
        ca=ca,
        status=201,
    )
    (database,) = (served.home / "farm").glob("*/*.db")
    with closing(equal_database(database, within / "bare.db", "fields")) as beside:

        def commits_a_second() -> float:
            return COMMITS_A_ROUND / sum(commits(beside, "fields", COMMITS_A_ROUND, "id"))

        ours, theirs = interleaved(ROUNDS, partial(rate, patch, SECONDS), commits_a_second)
    return row("PATCH a new field", "fields/s", ours, Yardstick(COMMITS, theirs), WRITES)


def _beside(port: int, target: Target) -> Target:
    # The very same request, token and all: to read it is a part of the work.
    return replace(target, port=port)


def _target(served: Served, instance: Instance, path: str, *more: str) -> Target:
    ca = str(served.home / "tls" / "ca.pem")
    return Target(served.port, "GET", path, instance.headers, ca=ca, more_paths=more)


BENCHMARKS = (Benchmark("farm", "read and write documents of a farm", farm),)
