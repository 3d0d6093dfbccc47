"""What all tables are made of: one metadata, their types, and how tables and indices are made."""

from typing import Any

import sqlalchemy as sa

CONDITION = "where"
"""The key under which an index keeps its condition: only rows that fulfil it are in it."""

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

Moment = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
"""A time in seconds: beyond the year 2038 on PostgreSQL too, whose INTEGER has four bytes."""


Real: sa.types.TypeEngine[float] = sa.REAL().with_variant(sa.Double(), "postgresql")
"""A number with a fraction, of eight bytes everywhere."""


def make_table(
    name: str, *parts: sa.Column[Any] | sa.Constraint | sa.Index, rowid: bool = True
) -> sa.Table:
    """Return a table of ours, STRICT on SQLite."""
    return sa.Table(name, metadata, *parts, sqlite_strict=True, sqlite_with_rowid=rowid)


def make_index(
    name: str, *columns: str, where: str | None = None, is_unique: bool = False
) -> sa.Index:
    """Return an index, with ``where`` only of the rows that fulfil the condition."""
    # Said to SQLAlchemy as an option of PostgreSQL, the condition would load all of that dialect
    # whenever a command starts: it waits here until somebody builds the tables.
    return sa.Index(name, *columns, unique=is_unique, info={CONDITION: where})


def truth(name: str) -> sa.CheckConstraint:
    """Return the check that a column is 0 or 1."""
    return sa.CheckConstraint(f"{name} IN (0, 1)", name)
