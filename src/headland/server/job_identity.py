"""A job's identity, put together: identity issues its tokens, control knows its instances, jobs hand them over."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from headland.control import Instances, RoleAuthorizer
from headland.identity import Issuer, JobTokenRefusedError, JobTokens
from headland.jobs.clusters.service_access import ReadableInstance, ServiceAccess
from headland.jobs.token_broker import Issue, TokenAnswer, TokenBroker, TokenRefusedError
from headland.jobs.wakeup import socket_address
from headland.security import Principal
from headland.server.deployment import Deployment
from headland.server.farm import farm_addresses
from headland.server.guards import job_audiences


def job_identity(deployment: Deployment) -> tuple[ServiceAccess, TokenBroker | None]:
    """What the deployment's jobs are told of it, and whoever gives their runners tokens; None where jobs have no
    identity.
    """
    settings, home, database = deployment.settings, deployment.home, deployment.database
    issuer = None
    if "identity" in settings.server.services:
        issuer = Issuer(database, settings.server.public_url)
    access = ServiceAccess(
        url=settings.server.public_url,
        ca_bundle=home.ca_bundle,
        trust_store=home.trust_store,
        patience=settings.jobs.identity_patience,
        instances=readable_instances(deployment, issuer),
        administers=administers(issuer),
    )
    if issuer is None or not settings.jobs.identity:
        return access, None
    tokens = JobTokens(issuer, settings, job_audiences(settings), time.time)
    return (
        replace(access, token_socket=socket_address(home.token_socket)),
        TokenBroker(database, home, issue_by(tokens)),
    )


def issue_by(tokens: JobTokens) -> Issue:
    """Tokens of the identity service, as the jobs' broker wants them."""

    def issue(submitter: Principal, job: str, resource: str) -> TokenAnswer:
        try:
            issued = tokens.issue(submitter, job, resource)
        except JobTokenRefusedError as error:
            raise TokenRefusedError(error.error, str(error)) from None
        return TokenAnswer(
            access_token=issued.token,
            expires_on=str(issued.expires),
            not_before=str(issued.not_before),
            resource=issued.resource,
            client_id=issued.client_id,
        )

    return issue


def administers(issuer: Issuer | None) -> Callable[[Principal], bool]:
    """Tells whether somebody whom the issuer knows administers the deployment by now."""

    def told(submitter: Principal) -> bool:
        owner = issuer.owner(submitter) if issuer is not None else None
        return owner is not None and owner.principal.administrator

    return told


def readable_instances(
    deployment: Deployment, issuer: Issuer | None
) -> Callable[[Principal], Sequence[ReadableInstance]]:
    """Tells on the data of which instances somebody whom the issuer knows has a role, by name."""
    if issuer is None or not {"farm", "control"} <= set(deployment.settings.server.services):
        return lambda _: ()
    database, addresses = deployment.database, farm_addresses(deployment.settings)
    instances, authorizer = Instances(database), RoleAuthorizer(database)

    def readable(submitter: Principal) -> Sequence[ReadableInstance]:
        owner = issuer.owner(submitter)
        if owner is None:
            return ()
        return [
            ReadableInstance(each.name, each.id, addresses.by_path(each.name))
            for each in instances.all()
            if any(role.of_data for role in authorizer.roles(owner.principal, each.id))
        ]

    return readable
