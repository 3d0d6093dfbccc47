"""Backup and restore: a backup of any database is a SQLite file with our schema."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.errors import NotFound, PbmservError, Refused
from pbmserv.store.connection import Mode, connect_sqlite, make_engine, open_transaction
from pbmserv.store.faults import StoreFault, fault_of, known, translated
from pbmserv.store.files import schema
from pbmserv.store.files.database_facts import schema_differences
from pbmserv.store.files.file_copies import (
    all_damage,
    copy_content,
    copy_file,
    copy_into,
    free_name,
)
from pbmserv.store.files.location import Location, full_path
from pbmserv.store.files.new_file import new_file
from pbmserv.store.progress import teller
from pbmserv.store.store import Store
from pbmserv.store.tables import audit, match, metadata, moment, player

IN_CHUNKS = {"yield_per": 1000}
"""Rows copied at a time; asked of one statement, not of its connection, which begins by another."""


class Restored(NamedTuple):
    """What came of a restore on trial: the content, its last moment, and what is wrong."""

    boards: int
    accounts: int
    as_of: int | None
    wrong: list[str]


def backup(
    store: Store, file: Path, *, overwrite: bool = False, may_be_damaged: bool = False
) -> list[str]:
    """Write the whole database, as of one moment, to a SQLite file while others go on.

    Returns what is damaged in it, which is nothing unless that may be. Raises :class:`Refused` if
    the file exists and is not to be overwritten or is the database itself, :class:`Fault` if the
    database is damaged or the file cannot be written.
    """
    file = full_path(file)
    if overwrite:
        require_other_file(store.location, file)
    if store.location.path is not None:
        with new_file(file, overwrite=overwrite) as unfinished:
            copy_into(store.location.path, unfinished)
            found = all_damage(unfinished)
            if found and not may_be_damaged:
                raise StoreFault(
                    f"The database {store.location.label} is damaged: {found[0]}.",
                    code="database-broken",
                    hint="No backup was made. --damaged copies it anyway; older backups may be "
                    "undamaged.",
                )
        return found
    with new_file(file, overwrite=overwrite) as unfinished, _opened(unfinished) as engine:
        with translated(str(file)):
            schema.migrate(engine, Location(unfinished))
        with (
            store.reading() as records,
            translated(str(file)),
            open_transaction(engine, Mode.WRITE) as target,
        ):
            _copy_rows(records.connection, target)
            target.commit()
    return []


def restore(store: Store, file: Path, *, keep_in: Path | None = None) -> Path | None:
    """Replace the whole database by the backup in ``file``; return where the old one is kept.

    The old content is kept in ``keep_in``, by default beside the database file; for PostgreSQL a
    folder must be given. Of a database without any row nothing is kept. Raises :class:`Refused`
    for a file that is no backup of ours, and for the database itself.
    """
    file = full_path(file)
    require_other_file(store.location, file)
    with _checked(file) as source:
        path, kept = store.location.path, _kept_name(store.location, keep_in)
        if path is not None:
            with store.turn():
                copy_file(path, kept)
                with (
                    _kept_if_replaced(kept),
                    translated(store.location.label),
                    closing(connect_sqlite(source)) as content,
                ):
                    copy_content(content, path, store.location.label)
        else:
            kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _replace_rows(store, source, kept)
    return _unless_empty(kept)


def _unless_empty(file: Path) -> Path | None:
    """Delete a copy of a database without rows; return any other."""
    with translated(str(file)), _opened(file) as engine, open_transaction(engine) as connection:
        tables = (sa.select(table).limit(1) for table in metadata.sorted_tables)
        if any(connection.execute(table).first() for table in tables):
            return file
    file.unlink()
    return None


def rehearse_restore(location: Location, file: Path, *, keep_in: Path | None = None) -> Path:
    """Check a backup as :func:`restore` does; return the name it would give to the old file."""
    file = full_path(file)
    require_other_file(location, file)
    with _checked(file):
        kept = _kept_name(location, keep_in)
    try:
        Store.version_at(location.url or str(location.path))
    except StoreFault as fault:
        if fault.code == "database-broken" and location.path is not None:
            return free_name(location.path, "damaged")  # as set_aside would
    return kept


def restore_on_trial(file: Path, folder: str | None = None) -> Restored:
    """Restore a backup into a database of its own, which is deleted, and tell what it held.

    That is made in ``folder``, by default that of the system. Raises as :func:`restore` does.
    """
    with TemporaryDirectory(prefix="pbmserv-", dir=folder) as scratch:
        restored = Path(scratch) / "restored.sqlite"
        with _checked(full_path(file)) as source:
            copy_file(source, restored)
        with closing(Store.open(str(restored), may_create=False)) as store:
            wrong = schema_differences(store)
            with store.reading() as records:
                ask = records.connection.scalar
                boards = ask(sa.select(sa.func.count()).select_from(match)) or 0
                accounts = ask(sa.select(sa.func.count()).select_from(player)) or 0
                last = [ask(sa.select(sa.func.max(each.c.at))) or 0 for each in (audit, moment)]
    return Restored(boards, accounts, max(last) or None, wrong)


def _kept_name(location: Location, keep_in: Path | None) -> Path:
    if location.path is not None:
        return free_name((keep_in or location.path.parent) / location.path.name, "before-restore")
    if keep_in is None:
        raise ValueError("keep_in: PostgreSQL has no folder of its own")
    return free_name(keep_in / "pbmserv.sqlite", "before-restore")


def require_other_file(location: Location, file: Path) -> None:
    """Raise :class:`Refused` if ``file`` is the database itself, by whatever name."""
    path, file = location.path, full_path(file)
    if path is not None and path.exists() and file.exists() and path.samefile(file):
        raise Refused(
            "That is the database itself.",
            code="same-file",
            hint="Nothing was changed. A backup is made with pbmserv backup FILE.",
        )


def set_aside(location: Location) -> Path:
    """Give a damaged SQLite file another name, with its journals, and return that name.

    After that a new database can be made in its place and a backup restored into it.
    """
    if location.path is None:
        raise ValueError("only a file can be set aside")
    kept = free_name(location.path, "damaged")
    try:
        # The journals first: left behind, they would be played into the next file of this name.
        for suffix in ("-journal", "-wal", "-shm", ""):
            part = location.path.with_name(f"{location.path.name}{suffix}")
            if part.exists():
                part.rename(kept.with_name(f"{kept.name}{suffix}"))
    except OSError as error:
        raise fault_of(error, location.label) from error
    return kept


@contextmanager
def _opened(file: Path) -> Iterator[sa.Engine]:
    engine = make_engine(Location(file))
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _kept_if_replaced(kept: Path) -> Iterator[None]:
    """Delete the copy ``kept`` when the block fails, for then the database is what it was.

    Where the disk failed that is not sure, and after an interruption neither: the copy stays.
    """
    try:
        yield
    except PbmservError as error:
        if error.code != "database-disk":
            kept.unlink(missing_ok=True)
        raise


@contextmanager
def _checked(file: Path) -> Iterator[Path]:
    """Yield a sound SQLite file of the present schema with the content of the backup."""
    if not file.is_file():
        raise NotFound(f"There is no file {file}.", code="no-such-file")
    try:
        version = _version_of(file)
    except (sqlite3.Error, sa.exc.SQLAlchemyError, StoreFault) as error:
        fault = fault_of(error, str(file))
        if fault.code in {"database-broken", "database-foreign"}:
            raise _no_backup(file) from error
        raise fault from error
    if version is None:
        raise _no_backup(file)
    if version == schema.HEAD:
        yield file
        return
    with TemporaryDirectory(prefix="pbmserv-") as folder:
        upgraded = Path(folder) / "upgraded.sqlite"
        copy_file(file, upgraded)
        with translated(str(file)), _opened(upgraded) as engine:
            schema.migrate(engine, Location(upgraded))
        yield upgraded


def _version_of(file: Path) -> str | None:
    if all_damage(file):
        raise known("database-broken", str(file))
    with _opened(file) as engine:
        version = schema.find_version(engine, Location(file))
    schema.require_known(version, Location(file))
    return version


def _no_backup(file: Path) -> Refused:
    return Refused(
        f"The file {file} is damaged or not a backup of this program.",
        code="no-backup",
        hint="Nothing was changed. A backup is made with pbmserv backup FILE.",
    )


def _replace_rows(store: Store, source: Path, kept: Path) -> None:
    tables = metadata.sorted_tables
    names = ", ".join(f'"{table.name}"' for table in tables)
    with (
        store.writing(for_operators=True) as records,
        _opened(source) as engine,
        open_transaction(engine) as rows,
    ):
        connection = records.connection
        # Others may look meanwhile, but what is kept is what is replaced.
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")
        backup(store, kept)
        # Only inside the transaction: whether a commit that fails was done after all, nobody knows.
        with _kept_if_replaced(kept), translated(store.location.label):
            for table in reversed(tables):
                connection.execute(table.delete())
            _copy_rows(rows, connection)
            for table in tables:
                if "id" in table.columns:
                    reset_sequence(connection, table)


def _copy_rows(source: sa.Connection, target: sa.Connection) -> None:
    """Copy every row of every table, parents before children."""
    done, tell = 0, teller(lambda: count_rows(source))
    for table in metadata.sorted_tables:
        rows = source.execute(sa.select(table), execution_options=IN_CHUNKS)
        for part in rows.mappings().partitions():
            target.execute(table.insert(), [dict(row) for row in part])
            done += len(part)
            tell(done)


def count_rows(connection: sa.Connection) -> int:
    """Return how many rows all tables have."""
    counts = (sa.select(sa.func.count()).select_from(table) for table in metadata.sorted_tables)
    return sum(connection.execute(count).scalar_one() for count in counts)


def reset_sequence(connection: sa.Connection, table: sa.Table) -> None:
    """Let PostgreSQL number the next row of the table after the highest there is."""
    highest: sa.ColumnElement[Any] = sa.func.max(table.c.id)
    sequence = sa.func.pg_get_serial_sequence(f'"{table.name}"', "id")
    connection.execute(
        sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None)))
    )
