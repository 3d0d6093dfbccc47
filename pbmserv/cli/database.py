"""The database as a whole: backups, and the version of its tables."""

import sys
from pathlib import Path
from typing import Annotated

from pbmserv.cli.printing import print_document, print_notice
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Word, command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, NotFound, PbmservError
from pbmserv.settings import database_url, default_database
from pbmserv.store import backup as copies
from pbmserv.store.database_facts import Fact, inspect, schema_differences
from pbmserv.store.location import parse_location

File = Annotated[str, Word("FILE")]
DAMAGED = frozenset({"database-broken"})


@command()
def backup(shell: Shell, file: File) -> int:
    """Copy the whole database, as of one moment, into a new FILE while others go on.

    The backup of any database, PostgreSQL too, is a SQLite file, and it is a database of its own:
    --database=FILE looks into it. Nothing is ever overwritten.
    """
    copies.backup(shell.desk.store, Path(file))
    return _say(shell, {"backup": file}, f"The database is copied to {file}.")


@command()
def restore(shell: Shell, file: File) -> int:
    """Put the backup in FILE in place of the present database.

    What was there is kept, and where is said. Others may go on meanwhile: they see the old games
    or the restored ones, nothing between.
    """
    if not Path(file).expanduser().is_file():
        raise NotFound(f"There is no file {file}.", code="no-such-file")
    place = parse_location(shell.options.database or database_url())
    copies.require_other_file(place, Path(file))
    try:
        store = shell.desk.store
    except PbmservError as error:
        if error.code not in DAMAGED or place.path is None:
            raise
        aside = copies.set_aside(place)
        print_notice(f"The present database is damaged; it is kept as {aside}.")
        store = shell.desk.store
    keep_in = default_database().parent if place.path is None else None
    kept = copies.restore(store, Path(file), keep_in=keep_in)
    said = f"The database is restored from {file}. What was there before is kept as {kept}."
    return _say(shell, {"restored": file, "kept": str(kept)}, said)


@command()
def current(shell: Shell) -> int:
    """Print where the database is and the version of its tables; creates nothing."""
    facts = inspect(shell.options.database or database_url())
    return _print_facts(shell, [fact for fact in facts if fact.name in {"database", "schema"}])


@command()
def upgrade(shell: Shell) -> int:
    """Create the database, or bring its tables to this version after keeping a copy of the file."""
    label = shell.desk.store.place.label
    return _say(shell, {"database": label}, f"{label} is up to date.")


@command()
def check_schema(shell: Shell) -> int:
    """Compare the tables with those of this version; exit 1 if they differ."""
    differences = schema_differences(shell.desk.store)
    said = "\n".join(differences) or "The tables are as this version makes them."
    _say(shell, {"differences": differences}, said)
    return EXIT_REFUSED if differences else EXIT_DONE


def _print_facts(shell: Shell, facts: list[Fact]) -> int:
    lines = "\n".join(f"{fact.name}: {fact.value}" for fact in facts)
    _say(shell, {fact.name: fact.value for fact in facts}, lines)
    return EXIT_REFUSED if any(fact.problem for fact in facts) else EXIT_DONE


def _say(shell: Shell, document: dict[str, object], text: str) -> int:
    if shell.options.json:
        print_document(document)
    else:
        sys.stdout.write(f"{text}\n")
    return EXIT_DONE
