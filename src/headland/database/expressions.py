"""What SQLite and PostgreSQL say in different words."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

#: The function of ours that each connection to SQLite has.
FOLDED = "folded"

_HAS_RELATION = {
    "sqlite": "SELECT (SELECT 1 FROM sqlite_master WHERE name = ?)",
    "postgresql": "SELECT to_regclass(quote_ident(%s))",
}
_COLUMNS = {
    "sqlite": "SELECT name FROM pragma_table_info(?)",
    "postgresql": "SELECT column_name FROM information_schema.columns"
    " WHERE table_schema = current_schema AND table_name = %s",
}


def has_relation(connection: Connection, name: str) -> bool:
    """Whether there is a table or an index of this name. What SQLAlchemy needs to tell takes 20 ms to import."""
    return connection.exec_driver_sql(_HAS_RELATION[connection.dialect.name], (name,)).scalar() is not None


def columns_of(connection: Connection, table: str) -> set[str]:
    """Names of a table's columns; none where there is no such table."""
    statement = _COLUMNS[connection.dialect.name]
    return {name for (name,) in connection.exec_driver_sql(statement, (table,))}


def found_in(part: ColumnElement[str], text: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition: the text has the part somewhere."""
    return _Place(text, part) > 0


def found_anyhow(part: str | ColumnElement[str], text: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition: the text has the part somewhere, in capitals or not. It is found sooner where it is known now."""
    if isinstance(part, str) and part.isascii():
        # SQLite's own function knows the letters of English alone, and takes a quarter of the time.
        return found_in(sa.func.lower(part), sa.func.lower(text))
    return found_in(_Folded(part), _Folded(text))


def is_among(number: ColumnElement[int], numbers: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition: the number is one of a JSON list."""
    return _IsAmong(number, numbers)


def is_one_of(text: ColumnElement[str], listed: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition: the text is one of a JSON list."""
    return _IsOneOf(text, listed)


def has_one_of(text: ColumnElement[str], listed: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition: the text has one of a JSON list somewhere."""
    return _HasOneOf(text, listed)


def unsought(column: ColumnElement[str]) -> ColumnElement[str]:
    """The column, in a condition for which SQLite is not to use its index, since another one leads nearer. It keeps no
    statistics by which it could tell (https://sqlite.org/optoverview.html, section 7). PostgreSQL does.
    """
    return _Unsought(column)


class _Place(FunctionElement[int]):
    """Where the second argument begins in the first, from 1; 0 for nowhere."""

    type = sa.Integer()
    inherit_cache = True


@compiles(_Place, "sqlite")
def _instr(element: _Place, compiler: SQLCompiler, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


@compiles(_Place, "postgresql")
def _strpos(element: _Place, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


class _Folded(FunctionElement[str]):
    """Its only argument, as it is compared where capitals don't matter."""

    type = sa.Text()
    inherit_cache = True


@compiles(_Folded, "sqlite")
def _casefold(element: _Folded, compiler: SQLCompiler, **options: Any) -> str:
    return f"{FOLDED}({compiler.process(element.clauses, **options)})"


@compiles(_Folded, "postgresql")
def _lower(element: _Folded, compiler: SQLCompiler, **options: Any) -> str:
    # By the database's locale: a column that is ordered by bytes would have the letters of English alone.
    return f'lower({compiler.process(element.clauses, **options)} COLLATE "default")'


class _Unsought(FunctionElement[str]):
    """Its only argument."""

    type = sa.Text()
    inherit_cache = True


@compiles(_Unsought, "sqlite")
def _plus(element: _Unsought, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


@compiles(_Unsought, "postgresql")
def _as_it_is(element: _Unsought, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


class _IsAmong(FunctionElement[bool]):
    """Whether the first argument is one of the numbers of the second, a list in JSON."""

    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:
        """Itself: SQLite would be given `(… IN …) = 1`, for which it looks at every row."""
        return self


@compiles(_IsAmong, "sqlite")
def _json_each(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    number, listed = (compiler.process(each, **options) for each in element.clauses)
    return f"{number} IN (SELECT value FROM json_each({listed}))"  # noqa: S608 - what SQLAlchemy has made


@compiles(_IsAmong, "postgresql")
def _json_array_elements(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    number, listed = (compiler.process(each, **options) for each in element.clauses)
    # An array, since rows from a function would be thought to be many, and the whole table read in its order.
    return f"{number} = ANY (ARRAY(SELECT json_array_elements_text(CAST({listed} AS json))::bigint))"


class _IsOneOf(_IsAmong):
    """Whether the first argument is one of the texts of the second, a list in JSON."""

    inherit_cache = True


@compiles(_IsOneOf, "postgresql")
def _json_array_texts(element: _IsOneOf, compiler: SQLCompiler, **options: Any) -> str:
    text, listed = (compiler.process(each, **options) for each in element.clauses)
    return f"{text} = ANY (ARRAY(SELECT json_array_elements_text(CAST({listed} AS json))))"


class _HasOneOf(_IsAmong):
    """Whether the first argument has one of the texts of the second, a list in JSON."""

    inherit_cache = True


@compiles(_HasOneOf, "sqlite")
def _instr_each(element: _HasOneOf, compiler: SQLCompiler, **options: Any) -> str:
    text, listed = (compiler.process(each, **options) for each in element.clauses)
    return f"EXISTS (SELECT 1 FROM json_each({listed}) WHERE instr({text}, value) > 0)"  # noqa: S608


@compiles(_HasOneOf, "postgresql")
def _strpos_each(element: _HasOneOf, compiler: SQLCompiler, **options: Any) -> str:
    text, listed = (compiler.process(each, **options) for each in element.clauses)
    each = f"json_array_elements_text(CAST({listed} AS json)) AS each (value)"
    return f"EXISTS (SELECT 1 FROM {each} WHERE strpos({text}, each.value) > 0)"  # noqa: S608
