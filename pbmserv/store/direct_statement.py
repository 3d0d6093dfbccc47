"""Statements of every move: compiled once by SQLAlchemy and executed by the driver."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
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
    in_order: Callable[[Mapping[str, Any]], Any] | None
    """Gives the values in their order, for a driver that takes them by place."""
    row: type[tuple[Any, ...]] | None
    """What a SELECT gives: tuples whose columns have names."""


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
        text, own_values, in_order, row = self._compiled[key]
        given: Any = {**own_values, **values} if own_values else values
        if in_order is not None:
            given = in_order(given)
        cursor = connection.info[CURSOR]
        # Every documented way ends here: listeners are told, and errors become SQLAlchemy's.
        connection._cursor_execute(cursor, text, given)  # noqa: SLF001
        rows = [] if row is None else [*map(row, cursor.fetchall())]
        return Result(rows, cursor.rowcount)

    def _compile(self, dialect: sa.Dialect, values: Mapping[str, Any]) -> Compiled:
        compiled: Any = self.statement.compile(dialect=dialect, column_keys=[*values])
        row = None
        if isinstance(self.statement, sa.Select):
            # A namedtuple is as fast, but is made eight times slower: by what most commands need.
            names = enumerate(self.statement.selected_columns.keys())
            row = type("Row", (tuple,), {name: property(itemgetter(at)) for at, name in names})
        own_values = {name: it for name, it in compiled.params.items() if name not in values}
        in_order = compiled.positiontup and _all_of(*compiled.positiontup)
        return Compiled(str(compiled), own_values, in_order, row)


def _all_of(*names: str) -> Callable[[Mapping[str, Any]], Any]:
    """Return what takes all these values."""
    take = itemgetter(*names)
    return take if len(names) > 1 else lambda values: (take(values),)
