"""A whole database as readable text, both ways: one JSON value a line, the same for every kind.

The first line says what the file is and the version of the tables. Then comes each table: a line
with its name and columns, and a line for each row, in the order of the primary key. The last line
counts the rows, so that a file that was cut off is noticed.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import sqlalchemy as sa

from pbmserv.club.written_text import CONTROL
from pbmserv.errors import Missing, NotFound, Refused
from pbmserv.store import schema
from pbmserv.store.backup import CHUNK, IN_CHUNKS, count_rows, require_other_file, reset_sequence
from pbmserv.store.columns import metadata
from pbmserv.store.connection import connect_nameless, connect_sqlite, engine_around
from pbmserv.store.faults import translated
from pbmserv.store.file_copies import copy_between
from pbmserv.store.new_file import full_path, new_file
from pbmserv.store.progress import teller
from pbmserv.store.store import Store

FORMAT = 1

_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    RecursionError,
    sa.exc.IntegrityError,
    sa.exc.InterfaceError,
    sa.exc.DataError,
    sa.exc.ProgrammingError,
)
"""What a file that no export wrote makes Python and the databases raise."""


def export_text(store: Store, file: Path, *, overwrite: bool = False) -> int:
    """Write the whole database, as of one moment, to a text file; return its rows.

    Raises :class:`Refused` if the file exists and is not to be overwritten or is the database.
    """
    file = full_path(file)
    if overwrite:
        require_other_file(store.location, file)
    with (
        new_file(file, overwrite=overwrite) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="\n") as text,
    ):
        if store.location.path is None:
            with store.reading() as records:
                return _write(records.connection, text)
        with _nameless_copy(store.location.path) as connection:
            return _write(connection, text)


@contextmanager
def _nameless_copy(source: Path) -> Iterator[sa.Connection]:
    """Yield a connection to a copy of a SQLite file, as of one moment.

    Whoever reads the file itself for long may keep others from writing. The copy has no name: the
    system takes it back with the process, however that ends.
    """
    with translated(str(source)), closing(connect_nameless()) as copy:
        with closing(connect_sqlite(source)) as old:
            copy_between(old, copy, str(source))
        with engine_around(copy).connect() as connection:
            yield connection


def import_text(store: Store, file: Path, *, is_rehearsal: bool = False) -> int:
    """Fill a database that has no row yet from such a file; return how many rows that were.

    All of it or nothing, which is the aim of a rehearsal. Raises :class:`Refused` for another
    database or another file.
    """
    file = full_path(file)
    if not file.is_file():
        raise NotFound(f"There is no file {file}.", code="no-such-file")
    with (
        file.open(encoding="utf-8", newline="\n") as text,
        store.writing(for_operators=True) as records,
    ):
        _require_empty(records.connection)
        try:
            rows = _read(records.connection, text)
        except _UNREADABLE as error:
            raise _no_copy() from error
        if is_rehearsal:
            records.connection.rollback()
        else:
            _reset_sequences(records.connection)
        return rows


def rehearse_import(url: str, file: Path) -> int:
    """Fill the database and undo it, or where there is none one that is thrown away.

    Returns how many rows that were; raises as :func:`import_text` does.
    """
    try:
        store = Store.open(url, may_create=False)
    except Missing:
        with TemporaryDirectory(prefix="pbmserv-") as folder:
            return _rehearse_into(Store.open(f"{folder}/new.sqlite"), file)
    return _rehearse_into(store, file)


def _rehearse_into(store: Store, file: Path) -> int:
    """Do the same with an open database, which is closed in the end."""
    with closing(store):
        return import_text(store, file, is_rehearsal=True)


def _write(connection: sa.Connection, text: TextIO) -> int:
    count, tell = 0, teller(lambda: count_rows(connection))
    dialect = connection.dialect.name
    _line(text, {"pbmserv": FORMAT, "schema": schema.HEAD})
    for table in metadata.sorted_tables:
        _line(text, {"table": table.name, "columns": [column.name for column in table.columns]})
        rows = connection.execute(_ordered(table, dialect), execution_options=IN_CHUNKS)
        for row in rows:
            _line(text, list(row))
            count += 1
            tell(count)
    _line(text, {"rows": count})
    return count


def _line(text: TextIO, value: object) -> None:
    text.write(json.dumps(value, ensure_ascii=False) + "\n")


def _ordered(table: sa.Table, dialect: str) -> sa.Select[Any]:
    """Choose all rows, in one order whatever the database thinks of letters."""
    keys = [
        column.collate(_BY_BYTES[dialect]) if isinstance(column.type, sa.Text) else column
        for column in table.primary_key.columns
    ]
    return sa.select(table).order_by(*keys)


_BY_BYTES = {"sqlite": "BINARY", "postgresql": "C"}


def _read(connection: sa.Connection, text: TextIO) -> int:
    lines = iter(text)
    head = json.loads(next(lines, "{}"))
    if not isinstance(head, dict) or head.get("pbmserv") != FORMAT:
        raise _no_copy()
    if not re.fullmatch("[!-~]{1,20}", head["schema"]):
        raise _no_copy()
    if head["schema"] != schema.HEAD:
        raise Refused(
            f"The file has tables of version {head['schema']}, this program has {schema.HEAD}.",
            code="other-version",
            hint="Import it with the version that wrote it, then upgrade that database.",
        )
    count, read = 0, teller(lambda: os.fstat(text.fileno()).st_size)
    table: sa.Table | None = None
    waiting = list(metadata.sorted_tables)
    for part in _parts(lines):
        if isinstance(part, list) and table is not None:
            names = [column.name for column in table.columns]
            connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in part])
            count += len(part)
            read(text.buffer.tell())
        elif isinstance(part, dict) and "table" in part:
            table = waiting.pop(0)
            if part != {"table": table.name, "columns": [c.name for c in table.columns]}:
                raise _no_copy()
        elif part == {"rows": count} and not waiting:
            return count
        else:
            break
    raise _no_copy()


def _parts(lines: Iterator[str]) -> Iterator[dict[str, Any] | list[Sequence[Any]]]:
    """Yield the headings, and between them the rows some at a time."""
    rows: list[Sequence[Any]] = []
    for line in lines:
        value = json.loads(line)
        if isinstance(value, list):
            _require_plain(value)
            rows.append(value)
        if rows and (len(rows) == CHUNK or not isinstance(value, list)):
            yield rows
            rows = []
        if not isinstance(value, list):
            yield value
    if rows:
        yield rows


def _require_plain(row: Sequence[Any]) -> None:
    """Raise ValueError unless every cell is null, a number, or text without control characters."""
    for cell in row:
        is_text = isinstance(cell, str)
        if not (is_text or cell is None or type(cell) in {int, float}):
            raise ValueError("a cell that no table has")
        if is_text and CONTROL.search(cell):
            raise ValueError("a control character in a text")


def _reset_sequences(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        for table in metadata.sorted_tables:
            if "id" in table.columns:
                reset_sequence(connection, table)


def _require_empty(connection: sa.Connection) -> None:
    for table in metadata.sorted_tables:
        if table.name != "audit" and connection.execute(sa.select(table).limit(1)).first():
            raise Refused(
                "The database is not empty.",
                code="not-empty",
                hint="Import into a new one, named with --database.",
            )
    connection.execute(metadata.tables["audit"].delete())


def _no_copy() -> Refused:
    return Refused(
        "The file is damaged or not an export of this program.",
        code="no-export",
        hint="Nothing was changed. An export is made with pbmserv admin export FILE.",
    )
