"""Cells of the languages that live in the JVM: Scala, and SQL."""

from typing import Any

from headland.jobs.sessions.interpreter.scala_cells import ScalaCells
from headland.jobs.sessions.interpreter.spark import Application
from headland.jobs.sessions.interpreter.sql_cells import SqlCells


class JvmCells:
    """One Spark session for both, so that either sees the views and tables of the other."""

    def __init__(self, application: Application, given: dict[str, Any]) -> None:
        """`given` is what the host says: `kind` of the session, `classes`, `output_limit`, `sql_rows`."""
        self._application = application
        self._given = given
        self._sql = SqlCells(application.session, given["sql_rows"])
        self._scala: ScalaCells | None = None
        if given["kind"] == "spark":
            self._scala = self._started()

    def run(self, _number: int, kind: str, code: str) -> dict[str, Any]:
        """What a cell shows.

        Raises:
            CellError: it failed.
        """
        if kind == "sql":
            return self._sql.run(code)
        if self._scala is None:
            self._scala = self._started()
        return self._scala.run(code)

    def job(self, serialized: bytes) -> bytes:
        """None is ever for this process."""
        raise NotImplementedError

    def complete(self, kind: str, code: str, cursor: int) -> list[str]:
        return self._scala.complete(code, cursor) if kind == "spark" and self._scala is not None else []

    def interrupt(self) -> bool:
        if self._scala is not None:
            self._scala.interrupt()
        return True

    def _started(self) -> ScalaCells:
        return ScalaCells(self._application, self._given["classes"], self._given["output_limit"])
