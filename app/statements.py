"""Statements of a path that has to be fast: SQLAlchemy compiles each of them once, the driver itself runs it.

What SQLAlchemy does around every execution takes several times as long as SQLite needs for the statement. All else is
as ever: they run on the connection and in the transaction of the caller's session, values and rows are converted by
their columns' types, and an error of the driver becomes SQLAlchemy's. They take no lists (`in_`) as values.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Dialect
    from sqlmodel import Session


class Prepared:
    """A select, insert or update with named values."""

    def __init__(self, statement: Any) -> None:
        self._statement = statement
        self._compiled: dict[tuple[str, tuple[str, ...]], _Compiled] = {}

    def run(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raises DBAPIError."""
        _, cursor = self._executed(session, values)
        cursor.close()

    def first(self, session: Session, values: Mapping[str, Any]) -> Any:
        """The first row, by the names of its columns; None where there is none. Raises DBAPIError."""
        compiled, cursor = self._executed(session, values)
        found = cursor.fetchone()
        cursor.close()
        return None if found is None else compiled.row(found)

    def _executed(self, session: Session, values: Mapping[str, Any]) -> tuple[_Compiled, Any]:
        connection = session.connection()
        kind = connection.dialect.name, tuple(values)
        compiled = self._compiled.get(kind)
        if compiled is None:
            compiled = self._compiled[kind] = _Compiled(self._statement, connection.dialect, tuple(values))
        return compiled, compiled.executed(connection, values)


class _Compiled:
    """The same for one kind of database and for these names of values."""

    def __init__(self, statement: Any, dialect: Dialect, names: tuple[str, ...]) -> None:
        made = statement.compile(dialect=dialect, column_keys=names)
        self._sql, self._places = str(made), made.positiontup
        self._values = [
            (name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for bind, name in made.bind_names.items()
        ]
        self._constants = {name: value for name, value in made.params.items() if name not in names}
        columns = statement.selected_columns if statement.is_select else ()
        self._row: Any = namedtuple("_row", [column.key for column in columns])  # type: ignore[misc]
        converts = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        self._results = [(place, convert) for place, convert in enumerate(converts) if convert]

    def executed(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        """The driver's cursor."""
        given = {**self._constants, **values}
        said = {name: convert(given[name]) if convert else given[name] for name, convert in self._values}
        asked = said if self._places is None else [said[name] for name in self._places]
        failed = connection.dialect.loaded_dbapi.Error
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._sql, asked)
            return cursor
        except failed as error:
            raise DBAPIError.instance(self._sql, None, error, failed, hide_parameters=True) from error

    def row(self, found: Sequence[Any]) -> Any:
        values = list(found)
        for place, convert in self._results:
            values[place] = convert(values[place])
        return self._row._make(values)
