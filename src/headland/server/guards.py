"""Which tokens open which service: what its callers have to ask for."""

from collections.abc import Mapping

from headland.security import Guard, Verifier
from headland.security.guard import SecretCheck
from headland.settings import FARM_RESOURCE, Settings

#: APIs that a job's code may call as who submitted the job: those of its data.
FOR_JOBS = ("storage", "control", "farm")


def audiences(settings: Settings) -> Mapping[str, frozenset[str]]:
    """What a token may be for, by the name of the API that it opens.

    A token for the deployment itself opens them all, and what is Headland's own is opened by no other.
    """
    public = settings.server.public_url
    own = frozenset({public})
    clusters = (url.rstrip("/") for url in settings.identity.cluster_access_urls)
    managers = (url.rstrip("/") for url in settings.control.audiences)
    return {
        "jobs": own | {f"{public}/livy", *clusters},
        "storage": own,
        "applications": own,
        "audit": own,
        "control": own.union(managers),
        "farm": own | {FARM_RESOURCE},
    }


def guard_of(
    api: str,
    settings: Settings,
    verifier: Verifier,
    *,
    check_secret: SecretCheck | None = None,
    anonymous: bool = False,
) -> Guard:
    """The guard of the API of that name."""
    # Elsewhere than here, issuers have scopes of their own for it.
    scope = f"{settings.server.public_url}/.default" if "identity" in settings.server.services else ""
    return Guard(
        verifier,
        audiences(settings)[api],
        scope=scope,
        check_secret=check_secret,
        anonymous=anonymous,
        jobs=api in FOR_JOBS,
    )


def job_audiences(settings: Settings) -> frozenset[str]:
    """What a job may ask for tokens for."""
    return frozenset().union(*(audiences(settings)[api] for api in FOR_JOBS))
