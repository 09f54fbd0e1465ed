"""A job's identity, put together: identity issues its tokens, control knows its instances, jobs hand them over."""

import time
from collections.abc import Callable, Sequence

from headland.control import Instances, RoleAuthorizer
from headland.identity import Issuer, JobTokenRefusedError, JobTokens
from headland.jobs.clusters.service_access import ReadableInstance, ServiceAccess
from headland.jobs.token_broker import Issue, TokenAnswer, TokenBroker, TokenRefusedError
from headland.jobs.wakeup import socket_address
from headland.security import Principal
from headland.server.deployment import Deployment
from headland.server.farm import farm_addresses
from headland.server.guards import job_audiences


def service_access(deployment: Deployment) -> ServiceAccess:
    """What the deployment's jobs are told of it."""
    settings, home = deployment.settings, deployment.home
    return ServiceAccess(
        url=settings.server.public_url,
        ca_bundle=home.ca_bundle,
        trust_store=home.trust_store,
        token_socket=socket_address(home.token_socket) if has_identity(deployment) else None,
        patience=settings.jobs.identity_patience,
        instances=readable_instances(deployment),
    )


def token_broker(deployment: Deployment) -> TokenBroker | None:
    """Whoever gives runners the tokens of their jobs; None where jobs have no identity."""
    if not has_identity(deployment):
        return None
    settings = deployment.settings
    issuer = Issuer(deployment.database, settings.server.public_url)
    tokens = JobTokens(issuer, settings, job_audiences(settings), time.time)
    return TokenBroker(deployment.database, deployment.home, issue_by(tokens))


def has_identity(deployment: Deployment) -> bool:
    """Whether jobs get tokens: where there is somebody who issues them."""
    settings = deployment.settings
    return settings.jobs.identity and "identity" in settings.server.services


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


def readable_instances(deployment: Deployment) -> Callable[[Principal], Sequence[ReadableInstance]]:
    """Tells on the data of which instances somebody has a role, by name."""
    if not {"farm", "control", "identity"} <= set(deployment.settings.server.services):
        return lambda _: ()
    database, addresses = deployment.database, farm_addresses(deployment.settings)
    instances, authorizer = Instances(database), RoleAuthorizer(database)
    issuer = Issuer(database, deployment.settings.server.public_url)

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
