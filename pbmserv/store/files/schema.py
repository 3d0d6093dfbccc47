"""The schema's version: checked on every open, upgraded on first use, created where asked for.

Alembic is imported only when there is something to migrate.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path

import sqlalchemy as sa

from pbmserv.errors import Fault
from pbmserv.store.connection import (
    Mode,
    connect_sqlite,
    first_query,
    journal_mode,
    open_transaction,
)
from pbmserv.store.faults import fault_of, known, missing
from pbmserv.store.files.location import PRIVATE, Location, private_mode
from pbmserv.store.progress import teller
from pbmserv.store.tables import APPLICATION_ID, metadata, whole_metadata

HEAD = "0100"
"""The newest migration: the version that this program reads and writes."""

FIRST, BEFORE = "0100", "0026"
"""The version of 1.0, and the last one before it, which has the same tables."""
# Until 1.1; then an upgrade begins with FIRST.

VERSION_QUERY = {
    "sqlite": "SELECT version_num, application_id FROM alembic_version, pragma_application_id",
    "postgresql": "SELECT version_num, NULL FROM alembic_version",
}

Notice = Callable[[str], object]
Hold = Callable[[], AbstractContextManager[None]]


def ensure(
    engine: sa.Engine, location: Location, hold: Hold, notice: Notice, *, may_create: bool = True
) -> bool:
    """Upgrade or create the schema, or raise :class:`Missing`; return if there was an older one."""
    version = find_version(engine, location)
    if version == HEAD:
        return False
    if version is None and not may_create:
        raise missing(location.label)
    require_known(version, location)
    kept = None
    if location.path is not None:
        try:
            location.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise fault_of(error, location.label) from error
    with hold():
        if location.path is not None:
            engine.dispose()
            kept = _prepare_file(engine, location, location.path)
        try:
            before = migrate(engine, location)
        except Fault:  # found before anything was changed: each command would keep a copy more
            if kept is not None:
                kept.unlink()
            raise
    if before is None:
        notice(f"Created the database {location.label}.")
    elif before != HEAD:
        told = f" The old one is kept as {kept}." if kept else ""
        notice(f"Upgraded the database {location.label} from version {before} to {HEAD}.{told}")
    return before not in {None, HEAD}


def rehearse(
    engine: sa.Engine, location: Location, hold: Hold, look: Callable[[sa.Connection], object]
) -> str | None:
    """Upgrade the schema, call ``look`` and undo it all; return the version that is there."""
    version = find_version(engine, location)
    require_known(version, location)
    if version not in {None, HEAD}:
        with hold():
            migrate(engine, location, rehearsed=look)
    return version


def find_version(engine: sa.Engine, location: Location) -> str | None:
    """Return the schema's version, or None; raises :class:`Fault` for foreign databases."""
    if location.path is not None and not location.path.exists():
        return None
    query = VERSION_QUERY[engine.dialect.name]
    with engine.connect() as connection:
        try:
            # By itself: each command asks it, and a transaction would be two questions more.
            row = first_query(connection, lambda: connection.exec_driver_sql(query).one_or_none())
        except sa.exc.DBAPIError:
            connection.rollback()
            _require_empty(connection, location)
            return None
    if row is None:
        raise known("database-broken", location.label)
    if row[1] not in {APPLICATION_ID, None} or not (len(row[0]) == 4 and row[0].isdigit()):
        raise known("database-foreign", location.label)
    return str(row[0])


def require_known(version: str | None, location: Location) -> None:
    """Raise :class:`Fault` if the schema is newer than this program, or too old for it."""
    if version is not None and version > HEAD:
        raise known("database-newer", location.label)
    if version is not None and version < FIRST and version != BEFORE:
        raise known("database-older", location.label)


def _prepare_file(engine: sa.Engine, location: Location, path: Path) -> Path | None:
    """Make the file for a new database, or keep a copy of an old one and return its name."""
    version = find_version(engine, location)
    engine.dispose()
    if version == HEAD:
        return None
    if version is not None:
        from pbmserv.store.files.file_copies import copy_file, free_name

        kept = free_name(path, f"version-{version}")
        copy_file(path, kept)
        return kept
    try:
        path.touch(mode=PRIVATE)
        with suppress(PermissionError):  # an empty file of somebody else, which doctor tells
            path.chmod(private_mode(path.parent))
    except OSError as error:
        raise fault_of(error, location.label) from error
    with closing(connect_sqlite(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal_mode()}")
    return None


def migrate(
    engine: sa.Engine,
    location: Location,
    *,
    rehearsed: Callable[[sa.Connection], object] | None = None,
) -> str | None:
    """Bring the schema to :data:`HEAD` in one transaction; return the version it had, if any.

    Of several programs that do so at once, one migrates while the others wait. With ``rehearsed``,
    which may look at what came of it, all is undone.
    """
    with open_transaction(engine, Mode.MIGRATE) as connection:
        if engine.dialect.name == "postgresql":
            # Of several programs, one creates the tables.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(APPLICATION_ID)))
        before = _version_now(connection)
        if before == HEAD:
            return before
        require_known(before, location)
        begun = before
        if before == BEFORE:
            begun = FIRST
            stamp = sa.text("UPDATE alembic_version SET version_num = :first")
            connection.execute(stamp, {"first": FIRST})
        _run_alembic(connection, int(HEAD) - int(begun or FIRST) + (begun is None))
        if before == BEFORE and table_differences(connection):
            raise known("database-unlike", location.label)
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            _check_foreign_keys(connection)
        if rehearsed is None:
            connection.commit()
        else:
            rehearsed(connection)
            connection.rollback()
        # This connection has its foreign keys switched off: it must not be used again.
        connection.invalidate()
    return before


def migrations_folder() -> Path:
    """Return the folder of the migrations: inside an installed package, else beside it."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parent / "migrations"


def _require_empty(connection: sa.Connection, location: Location) -> None:
    """Raise :class:`Fault` unless the database, whose version cannot be read, has no tables."""
    tables, marks = set(sa.inspect(connection).get_table_names()), None
    if location.path is None:
        tables &= {*metadata.tables, "alembic_version"}
    else:
        marks = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if marks == APPLICATION_ID and "alembic_version" not in tables:
        raise known("database-broken", location.label)
    if tables or marks:
        raise known("database-foreign", location.label)


def _version_now(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if version is None else str(version)


def _run_alembic(connection: sa.Connection, migrations: int) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    # Alembic reads a percent sign in a path as the beginning of a reference.
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["tell"] = teller(lambda: migrations)
    command.upgrade(config, "head")


def table_differences(connection: sa.Connection) -> list[str]:
    """Return how the tables differ from this version's, a line each; takes Alembic to compare.

    Tables and indices that others have added are no difference.
    """
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_ours(_thing: object, _name: object, kind: str, reflected: bool, model: object) -> bool:  # noqa: FBT001 - Alembic's
        return not (reflected and model is None and kind in {"table", "index"})

    context = MigrationContext.configure(connection, opts={"include_object": is_ours})
    found = compare_metadata(context, whole_metadata())
    return [str(difference) for difference in found]


def _check_foreign_keys(connection: sa.Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise Fault(
            f"The upgrade would leave {len(broken)} references without their rows.",
            code="upgrade-failed",
            hint="Nothing was changed. Keep the file and report this.",
        )
