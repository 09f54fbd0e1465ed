"""The JVM of a driver, apart from what it is to run: applications that need the same one may use each other's."""

from dataclasses import dataclass

#: Configuration that Spark and Hadoop look at once in the life of a JVM.
LASTING = (
    "spark.hadoop.",
    "spark.kerberos.",
    "spark.sql.codegen.cache.maxEntries",
    "spark.sql.defaultUrlStreamHandlerFactory.enabled",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """All that can't be changed any more once the JVM runs. Compared by value."""

    #: What the class path begins with, before Spark's own.
    first: str | None
    #: What comes behind Spark's own.
    later: tuple[str, ...]
    options: list[str]
    environment: dict[str, str]
    #: Configuration that stays for the life of the JVM.
    lasting: dict[str, str]
