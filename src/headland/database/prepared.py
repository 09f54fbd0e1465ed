"""Statements that are compiled once and run on the driver's own cursor.

SQLAlchemy takes some 20 microseconds to execute what SQLite answers in 4, and a page of rows six times as
long as SQLite. What is asked with every request goes past it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Executable

Values = tuple[Any, ...]

#: How statements are run, by dialect.
_OPTIONS: Mapping[str, Mapping[str, Any]] = {"sqlite": {}, "postgresql": {"prepare": True, "binary": True}}


class _Compiled(NamedTuple):
    text: str
    #: Of the parameters, in the order in which the statement has them.
    names: tuple[str, ...]
    #: Whether the driver takes values in this order, and not by name.
    positional: bool
    constants: Mapping[str, Any]


class Prepared:
    """A statement of which each bound parameter has a name.

    Values go to the driver and rows come back as they are: only for columns whose types need no conversion
    (text, whole numbers, bytes), and without lists as parameters.
    """

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Values]:
        """All rows.

        Raises:
            sqlalchemy.exc.DBAPIError: the driver's error, as SQLAlchemy would have raised it.
        """
        compiled = self._for(connection.dialect)
        given = {**compiled.constants, **values} if compiled.constants else values
        parameters = [given[name] for name in compiled.names] if compiled.positional else given
        return run(connection, compiled.text, parameters)

    def rows_by_order(self, connection: Connection, values: Sequence[Any]) -> list[Values]:
        """All rows of a statement that has no constants, each parameter once, and many: `values` are in their order.
        Raises as `rows`.
        """
        compiled = self._for(connection.dialect)
        parameters = values if compiled.positional else dict(zip(compiled.names, values, strict=True))
        return run(connection, compiled.text, parameters)

    def row(self, connection: Connection, **values: Any) -> Values | None:
        """The only row, or None. Raises as `rows`."""
        found = self.rows(connection, **values)
        return found[0] if found else None

    def _for(self, dialect: Dialect) -> _Compiled:
        return self._compiled.get(dialect.name) or self._compile(dialect)

    def _compile(self, dialect: Dialect) -> _Compiled:
        compiled = self._statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        names = tuple(compiled.positiontup if compiled.positional else compiled.params)
        made = self._compiled[dialect.name] = _Compiled(str(compiled), names, compiled.positional, constants)
        return made


def run(
    connection: Connection, text: str, parameters: Sequence[Any] | Mapping[str, Any] = ()
) -> list[Values]:
    """All rows of a statement in the driver's own words. Raises as `Prepared.rows`."""
    dialect = connection.dialect
    driver: Any = connection.connection.driver_connection
    try:
        cursor = driver.execute(text, parameters, **_OPTIONS[dialect.name])
        # psycopg tells what returns no rows from what returns none of them.
        return [] if cursor.description is None else cursor.fetchall()
    except dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(text, parameters, error, dialect.loaded_dbapi.Error) from error
