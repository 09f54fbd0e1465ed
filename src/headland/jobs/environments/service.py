"""What can be done with environments, and which one a job gets."""

import asyncio
import importlib.metadata
import secrets
import sys
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection

from headland.database import Database
from headland.jobs.batches.access import Access, Caller
from headland.jobs.batches.errors import BatchError, NotAllowedError, RequirementError
from headland.jobs.batches.submission import Submission
from headland.jobs.environments import store
from headland.jobs.environments.content import Contents
from headland.jobs.environments.requirements import NAME, Requirements, RequirementsError
from headland.jobs.environments.store import EnvironmentRow
from headland.jobs.environments.wire import Environment, EnvironmentDetails, EnvironmentRequest, Package
from headland.settings import Home, JobsSettings

#: Configuration by which a request chooses an environment.
CONF = "spark.headland.environment"

#: The one that comes with Headland.
DEFAULT = "default"

#: Configuration that says which Python is run, and so goes against an environment.
_PYTHONS = ("spark.pyspark.python", "spark.pyspark.driver.python")


class NoEnvironmentError(BatchError):
    """There is no such environment."""

    status = 404

    def __init__(self, name: str) -> None:
        super().__init__(f"Environment '{name[:80]}' not found.")


class EnvironmentTakenError(BatchError):
    """The name is that of an environment with other requirements, or of the one that comes with Headland."""

    status = 409

    def __init__(self, name: str) -> None:
        super().__init__(
            f"name: there is an environment '{name}' already. Remove it first, or choose another name."
        )


class BadEnvironmentError(BatchError):
    """A request for an environment breaks a rule; the message names the field."""


class Environments:
    """Make, look at, and remove environments."""

    def __init__(
        self, database: Database, settings: JobsSettings, home: Home, clock: Callable[[], int]
    ) -> None:
        self._database = database
        self._settings = settings
        self.access = Access(settings)
        self._contents = Contents(home.environments)
        self._clock = clock

    async def create(self, request: EnvironmentRequest, caller: Caller) -> tuple[EnvironmentDetails, bool]:
        """An environment, and whether it is new; once this returns, it is on disk and will be built. One of the same
        name and requirements stays as it is, unless its build has failed: then it is built anew.

        Raises:
            BadEnvironmentError: as said.
            EnvironmentTakenError: as said.
        """
        if not NAME.fullmatch(request.name):
            raise BadEnvironmentError(
                f"name: '{request.name[:80]}' is not up to 63 lower-case letters, digits, '.', '_' and '-', a letter "
                "or digit first."
            )
        if request.name == DEFAULT:
            raise EnvironmentTakenError(DEFAULT)
        try:
            # A thousand lines with markers take a second.
            text = (await asyncio.to_thread(Requirements.parse, request.requirements)).text
        except RequirementsError as error:
            raise BadEnvironmentError(f"{error}.") from None
        new = EnvironmentRow(
            name=request.name,
            key=secrets.token_hex(16),
            owner=caller.client_id,
            state="building",
            requirements=text,
            digest=None,
            problem=None,
            output="",
            created_at=self._clock(),
            ended_at=None,
        )

        def put(connection: Connection) -> EnvironmentRow | None:
            found = store.create(connection, new)
            failed = found is not None and found.state == "failed" and found.requirements == text
            if found is not None and failed and _may_change(caller, found):
                store.remove(connection, found.key)
                return store.create(connection, new)
            return found

        found = await self._database.write(put)
        if found is not None and found.requirements != text:
            raise EnvironmentTakenError(request.name)
        return self._details(found or new), found is None

    def list(self) -> list[Environment]:
        """All of them, the one that comes with Headland first."""
        rows = self._database.read(store.everything)
        # Without what lists leave out.
        own = msgspec.convert(self._own(), Environment, from_attributes=True)
        return [own, *map(self._shown, rows)]

    def get(self, name: str) -> EnvironmentDetails:
        """One of them.

        Raises:
            NoEnvironmentError: as said.
        """
        if name == DEFAULT:
            return self._own()
        return self._details(self._find(name))

    async def remove(self, name: str, caller: Caller) -> None:
        """Take its name away. What jobs that have not ended use of it stays until they have.

        Raises:
            NoEnvironmentError: as said.
            NotAllowedError: it is another's.
            EnvironmentTakenError: it is the one that comes with Headland.
        """
        if name == DEFAULT:
            raise BadEnvironmentError("The environment that comes with Headland can't be removed.")
        row = self._find(name)
        if not _may_change(caller, row):
            raise NotAllowedError(caller.user or "", "remove", f"environment '{row.name}'")
        if not await self._database.write(lambda connection: store.remove(connection, row.key)):
            raise NoEnvironmentError(name)

    def resolve(self, submission: Submission) -> Submission:
        """The submission with the content of the environment that it names, or that the settings name.

        Raises:
            RequirementError: it can't be had; the message names the configuration.
        """
        name = submission.conf.get(CONF)
        where = f"conf['{CONF}']"
        if name is None:
            if self._settings.default_environment is None or any(key in submission.conf for key in _PYTHONS):
                return submission
            name, where = self._settings.default_environment, "jobs.default_environment"
        if name == DEFAULT:
            return submission
        for key in _PYTHONS:
            if key in submission.conf:
                raise RequirementError(f"conf['{key}'] and {where} both say which Python is run: name one.")
        row = self._database.read(lambda connection: store.get(connection, name))
        if row is None:
            raise RequirementError(f"{where}: there is no environment '{name[:80]}'.")
        if row.state == "building":
            raise RequirementError(f"{where}: environment '{name}' is still being built.")
        if row.state == "failed" or row.digest is None:
            raise RequirementError(f"{where}: environment '{name}' could not be built: {row.problem}")
        return msgspec.structs.replace(submission, environment=row.digest)

    def _find(self, name: str) -> EnvironmentRow:
        row = self._database.read(lambda connection: store.get(connection, name))
        if row is None:
            raise NoEnvironmentError(name)
        return row

    def _shown(self, row: EnvironmentRow) -> Environment:
        described = None if row.digest is None else self._contents.content(row.digest).describe()
        return Environment(
            name=row.name,
            state=row.state,
            owner=row.owner,
            default=row.name == self._settings.default_environment,
            python=described.python if described else None,
            digest=row.digest,
            package_count=len(described.packages) if described else None,
            size=described.size if described else None,
            created_at=row.created_at,
            problem=row.problem,
        )

    def _details(self, row: EnvironmentRow) -> EnvironmentDetails:
        described = None if row.digest is None else self._contents.content(row.digest).describe()
        return EnvironmentDetails(
            **msgspec.structs.asdict(self._shown(row)),
            requirements=row.requirements,
            packages=described.packages if described else [],
            output=row.output,
        )

    def _own(self) -> EnvironmentDetails:
        """The one that comes with Headland: the packages of the Python that runs it, unless the settings name
        another Python, of which nothing is known.
        """
        here = self._settings.python is None
        packages = _installed() if here else []
        return EnvironmentDetails(
            name=DEFAULT,
            state="ready",
            owner=None,
            default=self._settings.default_environment in {None, DEFAULT},
            python=f"{sys.version_info.major}.{sys.version_info.minor}" if here else None,
            digest=None,
            package_count=len(packages) if here else None,
            size=None,
            created_at=None,
            problem=None,
            requirements="",
            packages=packages,
            output="",
        )


def _may_change(caller: Caller, row: EnvironmentRow) -> bool:
    return caller.modifies_others or (caller.user is not None and caller.user == row.owner)


def _installed() -> list[Package]:
    found = {found.name: found.version for found in importlib.metadata.distributions()}
    return [
        Package(name, version) for name, version in sorted(found.items(), key=lambda each: each[0].lower())
    ]
