"""What jobs are told of a deployment, by its settings."""

import json
import time

import pytest

from headland.control import Terms
from headland.control import initialise as initialise_control
from headland.database import upgrade
from headland.identity import initialise, oldest_administrator
from headland.jobs.runner.run_directory import RunDirectory
from headland.security import Principal
from headland.server.deployment import Deployment
from headland.server.job_identity import job_identity
from headland.settings import Home, JobsSettings, ServerSettings, Settings


@pytest.fixture
def deployed(tmp_path):
    """A deployment after its first start."""
    made = []

    def deploy(**sections) -> Deployment:
        home = Home(tmp_path / "home")
        home.path.mkdir()
        settings = Settings(**sections)
        upgrade(f"sqlite:///{home.database}")
        deployment = Deployment.of(home, settings)
        made.append(deployment)
        now = time.time_ns() // 1_000_000

        def first(connection):
            initialise(connection, settings, now)
            tenant, owner = oldest_administrator(connection)
            initialise_control(
                connection,
                tenant_id=tenant.id,
                owner_id=owner,
                display_name="Farms",
                terms=Terms.of(settings.control),
                now=now,
            )

        deployment.database.write_and_wait(first)
        return deployment

    yield deploy
    for each in made:
        each.database.close()


def test_by_default_a_job_has_an_identity(deployed, tmp_path):
    deployment = deployed()
    access, broker = job_identity(deployment)
    assert broker is not None
    assert access.endpoint == {"service": str(deployment.home.token_socket), "patience": 60.0}
    directory = RunDirectory(tmp_path / "run")
    bundle = str(deployment.home.ca_bundle)
    assert access.environment(directory) == {
        "HEADLAND_URL": "https://localhost:8443",
        "HEADLAND_INSTANCES": str(directory.instances),
        "SSL_CERT_FILE": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        "NODE_EXTRA_CA_CERTS": bundle,
    }


@pytest.mark.parametrize(
    "sections",
    [
        {"jobs": JobsSettings(identity=False)},
        {"server": ServerSettings(services=("jobs", "control", "farm"))},
    ],
)
def test_without_one_it_is_told_of_no_endpoint_and_of_the_rest(deployed, tmp_path, sections):
    access, broker = job_identity(deployed(**sections))
    assert broker is None
    assert access.endpoint is None
    assert "HEADLAND_URL" in access.environment(RunDirectory(tmp_path))


def test_there_are_no_instances_for_who_is_not_known_here(deployed):
    access, _ = job_identity(deployed())
    stranger = Principal("tenant", "client", "object")
    for submitter in (
        None,
        stranger,
        Principal("tenant", "client", "object", issuer="https://login.example"),
    ):
        assert json.loads(access.instances_text(submitter)) == []
