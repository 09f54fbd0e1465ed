"""Tokens of jobs, from the runner's endpoint through the broker to the services that take them: every part but the job
itself is the real one.
"""

import asyncio
import json
import secrets
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from sqlalchemy import Connection
from tests.databases import ON_BOTH, Template, made_once, system_of

from headland.audit import Actor, Change
from headland.database import Database, DatabaseUnavailableError, upgrade
from headland.identity import Issuer, JobTokens, applications, initialise
from headland.identity.people import people
from headland.identity.people import store as people_store
from headland.identity.tables import application
from headland.jobs import identity
from headland.jobs.batches import store
from headland.jobs.identity import job_alive
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.runner.token_endpoint import TokenEndpoint
from headland.jobs.sessions import store as sessions
from headland.jobs.token_broker import LONGEST_QUESTION, TokenBroker
from headland.security import Guard, Principal, TokenError, Verifier
from headland.server.guards import job_audiences
from headland.server.job_identity import issue_by
from headland.settings import Home, IdentitySettings, ServerSettings, Settings

pytestmark = ON_BOTH

URL = "https://headland.test:8443"
FARM = "https://farmbeats.azure.net"
MANAGER = "https://management.azure.com"
CLUSTER = "https://hilo.azurehdinsight.net"
NOW = 1_800_000_000
SETTINGS = Settings(
    server=ServerSettings(public_url=URL),
    identity=IdentitySettings(resources=(FARM, MANAGER, "api://somebody-elses"), token_lifetimes={FARM: 900}),
)
AUDIENCES = frozenset({URL, FARM, MANAGER})
CHARLOCK = "c0ffee00-0000-4000-8000-000000000000"


class Jobs:
    """A deployment's jobs and whoever submits them."""

    def __init__(self, database: Database, home: Home, first: Any) -> None:
        self.database, self.home = database, home
        administrator = database.read(
            lambda connection: applications.get(connection, first.tenant_id, first.client_id)
        )
        self.first = Principal(first.tenant_id, first.client_id, administrator.object_id)
        self.issuer = Issuer(database, URL, lambda: NOW, job_alive(database))
        self.verifier = Verifier([self.issuer.trusted()], lambda: NOW)
        self.endpoints: list[TokenEndpoint] = []
        tokens = JobTokens(Issuer(database, URL, lambda: NOW), SETTINGS, job_audiences(SETTINGS), lambda: NOW)
        self.broker = TokenBroker(database, home, issue_by(tokens))

    def register(self, name: str = "Drone") -> Principal:
        def add(connection):
            return applications.register(
                connection, self.first.tenant_id, name, administrator=False, now=NOW * 1000, created_by=None
            )

        made = self.database.write_and_wait(add)
        return Principal(made.tenant_id, made.client_id, made.object_id)

    def batch(self, submitter: Principal | None) -> "Running":
        run_key = secrets.token_hex(16)
        new = store.NewBatch(run_key, None, None, None, b"{}", NOW, submitter=identity.encode(submitter))
        row = self.database.write_and_wait(lambda connection: store.create(connection, new))
        return self.running(run_key, self.home.batches, row.id)

    def session(self, submitter: Principal) -> "Running":
        run_key = secrets.token_hex(16)
        new = sessions.NewSession(run_key, None, None, None, "spark", b"{}", NOW, identity.encode(submitter))
        row = self.database.write_and_wait(lambda connection: sessions.create(connection, new))
        return self.running(run_key, self.home.sessions, row.id)

    def running(self, run_key: str, folder: Path, number: int = -1, patience: float = 2.0) -> "Running":
        """What the runner of a run directory makes for its job."""
        endpoint = TokenEndpoint(run_key, str(self.home.token_socket), patience)
        directory = RunDirectory(folder / run_key)
        directory.path.mkdir(parents=True)
        directory.write(directory.runner, {"pid": 1, "token_key": endpoint.key_digest})
        self.endpoints.append(endpoint)
        return Running(number, directory, endpoint)


@dataclass
class Running:
    id: int
    directory: RunDirectory
    endpoint: TokenEndpoint

    def ask(self, resource: str | None = FARM, **query: str) -> tuple[int, dict[str, Any]]:
        told = self.endpoint.open()
        asked = {"api-version": "2019-08-01", "resource": resource, **query}
        address = urlsplit(told["IDENTITY_ENDPOINT"])
        connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
        words = urlencode({name: value for name, value in asked.items() if value is not None})
        connection.request(
            "GET", f"{address.path}?{words}", headers={"X-IDENTITY-HEADER": told["IDENTITY_HEADER"]}
        )
        answer = connection.getresponse()
        said = answer.status, json.loads(answer.read())
        connection.close()
        return said

    def token(self, resource: str = FARM) -> str:
        status, said = self.ask(resource)
        assert status == 200, said
        return str(said["access_token"])


@pytest.fixture(scope="session")
def template(request, tmp_path_factory):
    def prepare(url: str):
        upgrade(url)
        database = Database(url)
        first = database.write_and_wait(lambda connection: initialise(connection, SETTINGS, NOW * 1000))
        database.close()
        return first

    system, folder = system_of(request), tmp_path_factory.mktemp("job-tokens")
    return made_once("job-tokens", system, lambda: Template(system, folder, prepare))


@pytest.fixture
def jobs(template, tmp_path):
    home = Home(tmp_path / "home")
    home.runtime.mkdir(parents=True)
    with template.copied(home.database) as url:
        database = Database(url)
        made = Jobs(database, home, template.made)
        made.broker.start()
        yield made
        for endpoint in made.endpoints:
            endpoint.close()
        database.close()


def put_on_record(connection: Connection, changed: Principal) -> None:
    """As whoever changes something does: what is remembered of tokens is forgotten by it."""
    change = Change("application.changed", f"application/{changed.client_id}", changed.tenant_id)
    change.put_on_record(connection, Actor("tests"), NOW)


def finish(jobs: Jobs, batch: Running) -> None:
    jobs.database.write_and_wait(lambda connection: store.change(connection, batch.id, finished_at=NOW))


def test_a_token_is_its_submitters_and_names_the_job(jobs):
    drone = jobs.register()
    batch = jobs.batch(drone)
    status, said = batch.ask(FARM)
    assert status == 200
    assert {name: value for name, value in said.items() if name != "access_token"} == {
        "expires_on": str(NOW + 900),
        "not_before": str(NOW),
        "resource": FARM,
        "client_id": drone.client_id,
        "token_type": "Bearer",
    }
    principal = jobs.verifier.verify(said["access_token"], AUDIENCES, jobs=True)
    assert principal == Principal(
        drone.tenant_id, drone.client_id, drone.object_id, frozenset(), job=f"batch/{batch.id}"
    )
    session = jobs.session(drone)
    assert jobs.verifier.verify(session.token(), AUDIENCES, jobs=True).job == f"session/{session.id}"


def test_a_service_that_does_not_say_that_it_takes_jobs_does_not(jobs):
    token = jobs.batch(jobs.first).token(URL)
    with pytest.raises(TokenError, match="The token is a job's"):
        jobs.verifier.verify(token, AUDIENCES)
    assert asyncio.run(Guard(jobs.verifier, AUDIENCES, jobs=True).by_token(token)).job
    with pytest.raises(TokenError, match="The token is a job's"):
        asyncio.run(Guard(jobs.verifier, AUDIENCES).by_token(token))


@pytest.mark.parametrize(
    "resource", [CLUSTER, f"{URL}/livy", "api://somebody-elses", "https://nowhere.test", ""]
)
def test_there_are_no_tokens_for_other_services(jobs, resource):
    status, said = jobs.batch(jobs.first).ask(resource)
    assert status == 400
    assert "resource" in said["message"]
    assert said["statusCode"] == 400


def test_tokens_end_with_their_job(jobs):
    batch = jobs.batch(jobs.register())
    token = batch.token()
    jobs.verifier.verify(token, AUDIENCES, jobs=True)
    finish(jobs, batch)
    with pytest.raises(TokenError, match=f"has ended: batch/{batch.id}"):
        jobs.verifier.verify(token, AUDIENCES, jobs=True)
    status, said = batch.ask()
    assert (status, said["error"]) == (400, "invalid_request")
    assert "has ended" in said["message"]


def test_tokens_end_when_their_job_is_to_be_deleted(jobs):
    drone = jobs.register()
    batch, session = jobs.batch(drone), jobs.session(drone)
    tokens = batch.token(), session.token()

    def delete(connection):
        store.request_delete(connection, batch.id, NOW)
        sessions.request_delete(connection, session.id, NOW)

    jobs.database.write_and_wait(delete)
    for token in tokens:
        with pytest.raises(TokenError, match="has ended"):
            jobs.verifier.verify(token, AUDIENCES, jobs=True)
    assert (batch.ask()[0], session.ask()[0]) == (400, 400)


@pytest.mark.parametrize("how", ["disabled", "deleted"])
def test_an_application_that_is_gone_gets_no_more_and_what_it_has_is_refused(jobs, how):
    drone = jobs.register()
    batch = jobs.batch(drone)
    token = batch.token()
    jobs.verifier.verify(token, AUDIENCES, jobs=True)

    def change(connection):
        of_whom = drone.tenant_id, drone.client_id
        if how == "deleted":
            applications.delete(connection, *of_whom)
        else:
            applications.change(connection, *of_whom, name=None, disabled=True, now=NOW)
        put_on_record(connection, drone)

    jobs.database.write_and_wait(change)
    with pytest.raises(TokenError, match="disabled or deleted"):
        jobs.verifier.verify(token, AUDIENCES, jobs=True)
    status, said = batch.ask()
    assert (status, said["error"]) == (400, "unauthorized_client")
    assert "disabled or deleted" in said["message"]


def test_roles_are_those_of_the_moment(jobs):
    """They don't stand in the token: what was taken away counts no more for the next request."""
    batch = jobs.batch(jobs.first)
    token = batch.token(URL)
    assert jobs.verifier.verify(token, AUDIENCES, jobs=True).administrator

    def demote(connection):
        connection.execute(application.update().values(administrator=False))
        put_on_record(connection, jobs.first)

    jobs.database.write_and_wait(demote)
    assert not jobs.verifier.verify(token, AUDIENCES, jobs=True).administrator


def test_a_persons_job_acts_for_the_person(jobs):
    def add(connection):
        return people.add(
            connection,
            jobs.first.tenant_id,
            "ada@meadow.example",
            name="Ada",
            administrator=True,
            created_by=None,
            now=NOW,
        ).person

    person = jobs.database.write_and_wait(add)
    ada = Principal(person.tenant_id, person.object_id, person.object_id)
    batch = jobs.batch(ada)
    token = batch.token(URL)
    principal = jobs.verifier.verify(token, AUDIENCES, jobs=True)
    assert (principal.object_id, principal.client_id) == (ada.object_id, ada.object_id)
    assert principal.administrator

    def disable(connection):
        people_store.change(connection, ada.object_id, disabled_at=NOW)
        put_on_record(connection, ada)

    jobs.database.write_and_wait(disable)
    with pytest.raises(TokenError, match="disabled or deleted"):
        jobs.verifier.verify(token, AUDIENCES, jobs=True)
    assert batch.ask()[0] == 400
    # A person's own tokens there are none: the portal knows people by their sessions.
    assert jobs.issuer.resolve(ada) is None


def test_who_is_vouched_for_elsewhere_is_not_acted_for(jobs):
    """Not even where the other issuer's words are those of somebody here."""
    outside = Principal(
        jobs.first.tenant_id, jobs.first.client_id, jobs.first.object_id, issuer="https://login.example"
    )
    status, said = jobs.batch(outside).ask()
    assert (status, said["error"]) == (400, "unauthorized_client")
    assert "https://login.example" in said["message"]


def test_a_job_of_nobody_acts_for_nobody(jobs):
    status, said = jobs.batch(None).ask()
    assert (status, said["error"]) == (400, "unauthorized_client")
    assert "nobody in particular" in said["message"]


def test_a_driver_that_waits_for_its_job_gets_no_token_before(jobs):
    run_key = secrets.token_hex(16)
    warm = jobs.running(run_key, jobs.home.batches)
    status, said = warm.ask()
    assert (status, said["error"]) == (400, "invalid_request")
    assert "has not begun" in said["message"]
    drone = jobs.register()
    new = store.NewBatch(
        secrets.token_hex(16), None, None, None, b"{}", NOW, submitter=identity.encode(drone)
    )

    def claimed(connection):
        row = store.create(connection, new)
        assert store.claim(connection, row.id, "node", NOW, run_key)
        return row.id

    number = jobs.database.write_and_wait(claimed)
    assert jobs.verifier.verify(warm.token(), AUDIENCES, jobs=True).job == f"batch/{number}"


def test_a_runner_is_known_by_its_key_alone(jobs):
    batch = jobs.batch(jobs.register())
    other = TokenEndpoint(batch.directory.path.name, str(jobs.home.token_socket), 2.0)
    jobs.endpoints.append(other)
    status, said = Running(batch.id, batch.directory, other).ask()
    assert (status, said["message"]) == (400, "Whoever asks is not the job's runner.")
    kept = batch.directory.runner.read_text()
    for forged in ("{}", "[]", "\xff", '{"token_key": ""}', '{"token_key": 1}', ""):
        batch.directory.runner.write_text(forged)
        assert batch.ask()[0] == 400
    elsewhere = batch.directory.path.parent / "elsewhere"
    elsewhere.write_text(kept)
    batch.directory.runner.unlink()
    batch.directory.runner.symlink_to(elsewhere)
    assert batch.ask()[0] == 400
    batch.directory.runner.unlink()
    batch.directory.runner.write_text(kept)
    assert batch.ask()[0] == 200


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"api-version": "2017-09-01"}, "api-version"),
        ({"api-version": ""}, "api-version"),
        ({"client_id": CHARLOCK}, "client_id"),
        ({"object_id": CHARLOCK}, "object_id"),
        ({"principal_id": CHARLOCK}, "principal_id"),
        ({"mi_res_id": "/subscriptions/x"}, "mi_res_id"),
        ({"resource": ""}, "resource"),
        ({f"x{number}": "y" for number in range(30)}, "query"),
    ],
)
def test_a_query_that_is_not_as_it_must_be_is_told_so(jobs, query, names):
    status, said = jobs.batch(jobs.first).ask(**{"resource": FARM, **query})
    assert (status, said["error"]) == (400, "invalid_request")
    assert names in said["message"]


def test_the_jobs_own_identity_may_be_named(jobs):
    drone = jobs.register()
    batch = jobs.batch(drone)
    for query in (
        {"client_id": drone.client_id.upper()},
        {"object_id": drone.object_id},
        {"principal_id": drone.object_id},
        {"client_id": ""},
    ):
        assert batch.ask(**query)[0] == 200


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"\xff\n",
        b"{}\n",
        b'{"run": "../../x", "key": "", "query": ""}\n',
        b'{"run": "' + b"0" * 32 + b'", "key": 1, "query": ""}\n',
        b'{"run": "' + b"0" * 32 + b'", "key": "", "query": ""}\n',
    ],
)
def test_what_is_no_question_is_answered_as_such(jobs, line):
    answer = json.loads(jobs.broker.answer(line) or b"")
    assert answer["status"] == 400


def test_a_database_that_is_away_is_waited_for(jobs, monkeypatch):
    batch = jobs.batch(jobs.register())
    real, times = jobs.database.read, []

    def away(*arguments):
        times.append(1)
        if len(times) < 3:
            raise DatabaseUnavailableError("disk I/O error")
        return real(*arguments)

    monkeypatch.setattr(jobs.database, "read", away)
    assert batch.ask()[0] == 200
    assert len(times) >= 3


def test_the_socket_is_its_owners_alone(jobs):
    assert jobs.home.token_socket.stat().st_mode & 0o777 == 0o600
    assert LONGEST_QUESTION > 8192  # all of what an endpoint takes
