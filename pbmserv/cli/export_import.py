"""The whole database as readable text, out and in."""

from pathlib import Path
from typing import Annotated

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.types import Force
from pbmserv.errors import EXIT_DONE
from pbmserv.services.session import Source
from pbmserv.store.text_copy import export_text, import_text, rehearse_import

File = Annotated[str, Word("FILE")]


@command()
def export(shell: Shell, file: File, *, force: Force = False) -> int:
    """Write the whole database, as of one moment, to a new text FILE that people can read.

    Nothing is overwritten without --force. The text is the same for SQLite and PostgreSQL. It holds
    everything, including the hashes of passwords, so keep it safe. The keys that sign reply
    addresses are in a file of their own.
    """
    store = shell.desk.store
    rows = export_text(store, Path(file), overwrite=force)
    with store.writing(for_operators=True) as records:
        records.audit.add(
            at=shell.desk.world.now(),
            source=Source.SHELL.value,
            verb="admin export",
            detail=f"{rows} rows",
            outcome="done",
        )
    said = f"{rows} rows written to {file}."
    print_result({"exported": file, "rows": rows}, said, shell.options)
    return EXIT_DONE


@command(can_rehearse=True)
def import_(shell: Shell, file: File) -> int:
    """Fill an empty database from an export; all of it is stored, or nothing.

    Name a new database with --database. Run admin check afterwards.
    """
    is_rehearsal = shell.is_rehearsal
    if is_rehearsal or not shell.has_database():  # a file that is no export makes none
        rows = rehearse_import(shell.database, Path(file))
    if not is_rehearsal:
        rows = import_text(shell.desk.store, Path(file))
    said = f"{rows} rows read from {file}."
    document = {"imported": file, "rows": rows}
    print_result(document, said, shell.options, is_rehearsal=is_rehearsal)
    return EXIT_DONE
