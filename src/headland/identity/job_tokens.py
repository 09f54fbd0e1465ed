"""Tokens by which a job acts for whoever submitted it: delegation, as RFC 8693 (section 1.1) has the word.

Principal and rights are the submitter's; `act` (section 4.1) names the job. Roles are not in the token: they are
looked up whenever it is used, so one that was taken away counts at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from headland.identity.claims import access_claims, delegated_claims
from headland.identity.issuer import Issuer
from headland.identity.resources import by_identifier, find, resources_of
from headland.identity.service import lifetimes
from headland.security import Principal
from headland.settings import Settings

_log = structlog.get_logger("headland.identity")


class JobTokenRefusedError(Exception):
    """A job gets no such token. `error` is OAuth's word for the reason, the message is for its owner."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, slots=True)
class JobToken:
    """A token, and what is said of it."""

    token: str = field(repr=False)
    #: As asked for.
    resource: str
    #: Its owner's: of an application the client id, of a person the object id.
    client_id: str
    #: Seconds since 1970.
    not_before: int
    expires: int


class JobTokens:
    """Issues them, from whichever thread."""

    def __init__(
        self, issuer: Issuer, settings: Settings, audiences: frozenset[str], clock: Callable[[], float]
    ) -> None:
        """`audiences` are the resources that jobs may call; `clock` tells seconds since 1970."""
        self._issuer = issuer
        self._public_url = settings.server.public_url
        known = resources_of(settings)
        self._resources = by_identifier(
            resource for resource in known if resource.identifier.rstrip("/") in audiences
        )
        self._lifetimes = lifetimes(settings.identity)
        self._clock = clock

    def issue(self, submitter: Principal, job: str, resource: str) -> JobToken:
        """A token for a resource, by which the job acts for its submitter.

        Raises:
            JobTokenRefusedError: the resource is none for jobs, or the submitter is not there any more.
            DatabaseUnavailableError: the database can't be read now.
        """
        if submitter.issuer:
            raise JobTokenRefusedError(
                "unauthorized_client",
                f"The job was submitted with a token of {submitter.issuer}: only those who are known to Headland's own "
                "identity service can be acted for.",
            )
        owner = self._issuer.owner(submitter)
        if owner is None:
            _log.warning("job_token.refused", job=job, client_id=submitter.client_id, reason="owner")
            raise JobTokenRefusedError(
                "unauthorized_client",
                f"The application or person '{submitter.client_id}' that submitted the job is disabled or deleted.",
            )
        found = find(self._resources, resource)
        if found is None:
            _log.warning("job_token.refused", job=job, client_id=submitter.client_id, reason="resource")
            named = ", ".join(each.identifier for each in self._resources.values())
            raise JobTokenRefusedError(
                "invalid_resource",
                f"resource: jobs get no tokens for '{resource[:200]}'. There are: {named}.",
            )
        now = int(self._clock())
        lifetime = self._lifetimes(found)
        claims = delegated_claims(owner.principal, job, found, self._public_url, person=owner.person)
        token = self._issuer.sign(access_claims(claims, now, lifetime))
        _log.info(
            "job_token.issued",
            job=job,
            tenant=owner.principal.tenant_id,
            client_id=owner.principal.client_id,
            resource=found.identifier,
        )
        return JobToken(token, resource, owner.principal.client_id, now, now + lifetime)
