"""The database as a whole: backups, and the version of its tables."""

from pathlib import Path
from typing import Annotated

from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell, notice_leftovers
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.slots import FILE, slot
from pbmserv.commands.types import Force
from pbmserv.engine.moments import MINUTE
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, NotFound, PbmservError
from pbmserv.operators.admin_views import moment
from pbmserv.settings import default_database
from pbmserv.store.files import backup as copies
from pbmserv.store.files.database_facts import inspect, schema_differences
from pbmserv.store.files.location import full_path, parse_location
from pbmserv.store.files.schema import HEAD
from pbmserv.store.store import Store

File = Annotated[str, Word(slot(FILE))]


def parse_backup(text: str) -> str:
    """Return the name of a file that exists, before any question; raises :class:`NotFound`."""
    if not full_path(Path(text)).is_file():
        raise NotFound(f"There is no file {text}.", code="no-such-file")
    return text


Damaged = Annotated[bool, Flag("copy a damaged database too, and say what is wrong")]


@command()
def backup(shell: Shell, file: File, *, force: Force = False, damaged: Damaged = False) -> int:
    """Copy the whole database, as of one moment, into a new FILE during play.

    A backup is a SQLite file, even of a PostgreSQL database, and a database of its own:
    --database=FILE opens it. Nothing is overwritten without --force. A damaged database is refused,
    so that its copy does not replace a good one.
    """
    store = shell.desk.store
    found = copies.backup(store, Path(file), overwrite=force, may_be_damaged=damaged)
    lines = [f"The database has been copied to {file}.", *(f"Damaged: {line}" for line in found)]
    print_result({"backup": file, "damage": found}, "\n".join(lines), shell.options)
    return EXIT_REFUSED if found else EXIT_DONE


@command(can_rehearse=True)
def restore(shell: Shell, file: Annotated[str, Word(slot(FILE), parse_backup)]) -> int:
    """Replace the database with the backup in FILE.

    The old database is kept, and its new name is printed. Play may go on meanwhile: everybody sees
    either the old games or the restored ones. --dry-run is a drill: it restores into a temporary
    database, checks that as db check does, and deletes it.
    """
    location = parse_location(shell.options.url)
    copies.require_other_file(location, Path(file))
    keep_in = default_database().parent if location.path is None else None
    has_database, aside = shell.has_database(), None
    if shell.is_rehearsal or not has_database:  # a file that is no backup makes none
        kept = copies.rehearse_restore(location, Path(file), keep_in=keep_in)
    if shell.is_rehearsal:
        tried = copies.restore_on_trial(Path(file))
        return _print_restored(shell, file, kept if has_database else None, tried)
    try:
        store = shell.desk.store
    except PbmservError as error:
        if error.code != "database-broken" or location.path is None:
            raise
        copies.rehearse_restore(location, Path(file))  # nor does it take the damaged one away
        aside = copies.set_aside(location)
        print_notice(f"The current database is damaged; it is kept as {aside}.")
        store = shell.desk.store
    return _print_restored(shell, file, copies.restore(store, Path(file), keep_in=keep_in) or aside)


def _print_restored(
    shell: Shell, file: str, kept: Path | None, tried: copies.Restored | None = None
) -> int:
    told = f"The old database is kept as {kept}." if kept else "There was none before."
    said = f"The database is restored from {file}. {told}"
    document: dict[str, object] = {"restored": file, "kept": kept and str(kept)}
    if tried:
        as_of = moment(tried.as_of) if tried.as_of else None
        document |= {**tried._asdict(), "as_of": as_of}
        held = f"{with_count(tried.boards, 'board')}, {with_count(tried.accounts, 'account')}"
        said += f"\nRestored on trial: {held}."
        if tried.as_of:
            age = with_count(max(0, shell.desk.world.now() - tried.as_of) // MINUTE, "minute")
            said += f" The last change was made at {as_of} UTC, {age} ago."
        said = "\n".join([said, *tried.wrong])
    print_result(document, said, shell.options, is_rehearsal=shell.is_rehearsal)
    return EXIT_REFUSED if tried and tried.wrong else EXIT_DONE


@command()
def current(shell: Shell) -> int:
    """Print where the database is and its version; exit 1 if that is not this program's."""
    facts = [fact for fact in inspect(shell.options.url) if fact.name in {"database", "schema"}]
    problems = [fact.problem for fact in facts if fact.problem]
    lines = "\n".join([*(f"{fact.name}: {fact.value}" for fact in facts), *problems])
    print_result({fact.name: fact.value for fact in facts}, lines, shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


@command(can_rehearse=True)
def upgrade(shell: Shell) -> int:
    """Create the database, or bring its tables to this version after copying the file.

    With --dry-run the upgrade is made and undone; others wait for it as for the upgrade itself.
    """
    if shell.is_rehearsal:
        return _rehearse_upgrade(shell)
    store = shell.desk.store
    if not store.was_upgraded:  # else it has been said
        with store.reading() as records:
            notice_leftovers(records)
    label = store.location.label
    print_result({"database": label}, f"{label} is up to date.", shell.options)
    return EXIT_DONE


def _rehearse_upgrade(shell: Shell) -> int:
    version = Store.rehearse_upgrade(shell.options.url, notice_leftovers, notice=print_notice)
    label = parse_location(shell.options.url).label
    said = f"{label} is up to date."
    if version is None:
        said = f"Created the database {label}."
    elif version != HEAD:
        said = f"Upgraded the database {label} from version {version} to {HEAD}."
    document = {"database": label, "version": version, "upgraded_to": HEAD}
    print_result(document, said, shell.options, is_rehearsal=True)
    return EXIT_DONE


@command()
def check_schema(shell: Shell) -> int:
    """Compare the tables with those of this version; exit 1 if they differ."""
    differences = schema_differences(shell.desk.store)
    said = "\n".join(differences) or "The tables match this version."
    print_result({"differences": differences}, said, shell.options)
    return EXIT_REFUSED if differences else EXIT_DONE
