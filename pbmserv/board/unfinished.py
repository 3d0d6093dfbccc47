"""The game at one keyboard that was left: kept in a file, and offered the next time."""

from pathlib import Path

from pbmserv.board.local_game import LocalGame, resume
from pbmserv.engine.record import format_record, parse_record
from pbmserv.errors import Refused


def load_unfinished(file: Path) -> LocalGame | None:
    """Return the game that was left unfinished, if any; raises :class:`Refused`."""
    try:
        return resume(parse_record(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (Refused, OSError, UnicodeDecodeError) as error:
        raise Refused(
            f"The unfinished game in {file} cannot be read.",
            code="bad-record",
            hint="Move that file away or delete it.",
        ) from error


def keep_unfinished(local: LocalGame, file: Path) -> None:
    """Keep the game in the file; delete the file where there is none to go on.

    Raises :class:`Refused` or OSError.
    """
    if not local.is_unfinished:
        file.unlink(missing_ok=True)
        return
    from pbmserv.store.new_file import new_file

    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with new_file(file, overwrite=True) as unfinished:
        unfinished.write_text(format_record(local.record()), encoding="utf-8")
