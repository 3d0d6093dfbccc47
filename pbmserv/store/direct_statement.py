"""Statements of every move: compiled once by SQLAlchemy and executed by the driver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.store.connection import CURSOR


class Result(NamedTuple):
    """The rows that a statement gave, and how many it found or changed."""

    rows: list[Any]
    rowcount: int


class Compiled(NamedTuple):
    """A statement as a driver takes it."""

    text: str
    own_values: dict[str, Any]
    """What the statement says itself, as in ``status = 'running'``."""
    order: Sequence[str] | None
    """The order of the values, for a driver that takes them by place."""
    columns: Sequence[str]


@dataclass(eq=False)
class DirectStatement:
    """A SELECT, INSERT or UPDATE, compiled once for each kind of database and set of values.

    Each way of executing it that SQLAlchemy documents costs two to seven times the driver.
    """

    statement: Any
    _compiled: dict[tuple[str, ...], Compiled] = field(default_factory=dict)

    def execute(self, connection: sa.Connection, values: Mapping[str, Any]) -> Result:
        """Execute it with these values, which are texts and numbers; raises as SQLAlchemy does."""
        key = connection.dialect.name, *values
        if key not in self._compiled:
            self._compiled[key] = self._compile(connection.dialect, values)
        text, own_values, order, columns = self._compiled[key]
        given: Any = {**own_values, **values}
        if order is not None:
            given = tuple([given[name] for name in order])
        cursor = connection.info[CURSOR]
        # Every documented way ends here: listeners are told, and errors become SQLAlchemy's.
        connection._cursor_execute(cursor, text, given)  # noqa: SLF001
        fetched = cursor.fetchall() if columns else ()
        rows = [SimpleNamespace(**dict(zip(columns, row, strict=True))) for row in fetched]
        return Result(rows, cursor.rowcount)

    def _compile(self, dialect: sa.Dialect, values: Mapping[str, Any]) -> Compiled:
        compiled: Any = self.statement.compile(dialect=dialect, column_keys=[*values])
        is_select = isinstance(self.statement, sa.Select)
        columns = self.statement.selected_columns.keys() if is_select else ()
        return Compiled(str(compiled), compiled.params, compiled.positiontup, columns)
