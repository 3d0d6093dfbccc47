"""The one place where an error of a database, its driver or the disk becomes a :class:`Fault`."""

import errno
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from pbmserv.errors import EXIT_FAULT, EXIT_LATER, Fault, Missing, PbmservError

TRY_AGAIN = "Nothing was changed. Try again later."
LOOK = "Nothing was changed. Ask the operator to run pbmserv doctor."
RESTORE = "The operator can restore a backup with pbmserv restore FILE."

DATABASE_ERRORS = (sa.exc.SQLAlchemyError, sqlite3.Error, UnicodeDecodeError)
"""Everything that the database and its drivers raise."""


class StoreFault(Fault):
    """A fault of the store; ``reason`` is the database server's own, for operators."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str = "",
        is_transient: bool = False,
        reason: str = "",
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.exit_code = EXIT_LATER if hint == TRY_AGAIN else EXIT_FAULT
        self.is_transient = is_transient
        self.reason = reason


def is_transient(error: BaseException) -> bool:
    """Tell whether the same transaction may well succeed if it is run again at once."""
    return isinstance(error, StoreFault) and error.is_transient


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Turn what the database raises into a fault that names it by ``label``."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise fault_of(error, label) from error


def fault_of(error: Exception, label: str) -> PbmservError:
    """Return the fault that tells people what ``error`` means for the database ``label``."""
    original = getattr(error, "orig", None) or error
    if isinstance(original, PbmservError):
        return original
    if isinstance(original, UnicodeDecodeError):
        # A damaged name stands in what SQLite says, or a damaged text in a row.
        return known("database-broken", label)
    if isinstance(original, OSError):
        return known(_of_system(original), label)
    if isinstance(original, sqlite3.Error):
        return known(_of_sqlite(original), label)
    if isinstance(original, sa.exc.SQLAlchemyError):
        return known("database-error", label)
    return known(_of_postgresql(original), label, _reason_of(original))


SENTENCES = {
    "database-locked": ("The database {} is locked by another program.", TRY_AGAIN),
    "database-conflict": (
        "Another change of the database {} was made at the same time.",
        TRY_AGAIN,
    ),
    "database-broken": ("The database {} is damaged or not a database.", RESTORE),
    "database-full": ("The disk under {} is full or cannot be written to.", LOOK),
    "database-disk": ("The disk under the database {} failed.", LOOK),
    "database-read-only": (
        "The database {} cannot be changed: no permission to write there.",
        LOOK,
    ),
    "database-unreachable": ("The database {} cannot be opened.", LOOK),
    "database-lost": (
        "The database {} was lost while a change was being stored.",
        "The change may have been made: look at the board before you repeat the command.",
    ),
    "database-foreign": ("The database {} belongs to another program.", "Name another one."),
    "database-newer": (
        "The database {} was made by a newer version of this program.",
        "Install that version, or name another database.",
    ),
    "database-older": (
        "The database {} is older than this program can upgrade.",
        "Upgrade it first with commit 9b12767c, the last before 1.0 (pbmserv help upgrading).",
    ),
    "database-unlike": (
        "The database {} says that it is of version 0026, but its tables differ from those.",
        "Nothing was changed. Restore a backup, or report this (pbmserv help upgrading).",
    ),
    "database-error": ("The database {} refused a query: an internal error of this program.", LOOK),
}


def known(code: str, label: str, reason: str = "") -> StoreFault:
    """Return the fault with this code for the database ``label``."""
    message, hint = SENTENCES[code]
    transient = code == "database-conflict"
    return StoreFault(
        message.format(label), code=code, hint=hint, is_transient=transient, reason=reason
    )


def damaged(message: str, code: str) -> Fault:
    """Return the fault that a stored row is which cannot be read."""
    return Fault(message, code=code, hint="Ask the operator to run pbmserv admin check.")


def missing(label: str) -> Missing:
    """Return the error of a missing database, for commands that create none."""
    return Missing(
        f"No database at {label}; create it with pbmserv db upgrade.",
        code="database-missing",
        hint="Or name the one you mean with --database or the setting database_url.",
    )


def _of_system(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return "database-full"
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return "database-read-only"
    return "database-unreachable"


SQLITE_CODES = {
    sqlite3.SQLITE_BUSY: "database-locked",
    sqlite3.SQLITE_LOCKED: "database-locked",
    sqlite3.SQLITE_PROTOCOL: "database-locked",
    sqlite3.SQLITE_CORRUPT: "database-broken",
    sqlite3.SQLITE_NOTADB: "database-broken",
    sqlite3.SQLITE_FORMAT: "database-broken",
    sqlite3.SQLITE_FULL: "database-full",
    sqlite3.SQLITE_IOERR: "database-disk",
    sqlite3.SQLITE_READONLY: "database-read-only",
    sqlite3.SQLITE_PERM: "database-read-only",
    sqlite3.SQLITE_CANTOPEN: "database-unreachable",
}

WRITE_FAILED = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}


def _of_sqlite(error: sqlite3.Error) -> str:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in WRITE_FAILED:
        return "database-full"
    if re.match("no such (table|column)|foreign key mismatch", str(error)):
        return "database-broken"  # what it says of its own tables
    return SQLITE_CODES.get(code & 0xFF, "database-error")


SQLSTATES = {
    "40001": "database-conflict",
    "40P01": "database-conflict",
    "55P03": "database-locked",
    "57014": "database-locked",
    "53100": "database-full",
    "25006": "database-read-only",
    "42501": "database-read-only",
    "58030": "database-disk",
    "XX001": "database-broken",
    "XX002": "database-broken",
}
UNREACHABLE = ("08", "28", "3D", "53", "57P")
"""Beginnings of the states that mean: no connection, no entry, no such database, no room."""

CONNECTION_FAILED = re.compile(
    r"(?:failed: (?!.*failed: )(?:FATAL: +)?|(?=failed to resolve|invalid connection option))(.+)"
)
"""The driver's own words, and behind them those of the server or the system."""


def _reason_of(error: BaseException) -> str:
    """Return the server's own reason; never the driver's words about the URL it was given."""
    primary: str | None = getattr(getattr(error, "diag", None), "message_primary", None)
    found = CONNECTION_FAILED.search(str(error))
    return primary or (found[1] if found else "")


def _of_postgresql(error: BaseException) -> str:
    state: str | None = getattr(error, "sqlstate", None)
    if state is None:
        # Without a state the driver itself speaks: the connection failed or broke.
        kinds = {kind.__name__ for kind in type(error).__mro__}
        is_unreachable = "connection option" in str(error) or "OperationalError" in kinds
    else:
        is_unreachable = state.startswith(UNREACHABLE)
    default = "database-unreachable" if is_unreachable else "database-error"
    return SQLSTATES.get(state or "", default)


def public_fault(fault: Fault) -> Fault:
    """Return a fault as it is told to those who may not know where on the machine things lie."""
    if isinstance(fault, Missing) or fault.code == "bad-settings":
        fault.message, fault.hint = "This server has no database.", "Tell its operator."
    elif fault.code in SENTENCES:
        told = SENTENCES[fault.code][0].replace("database {}", "database")
        fault.message = told.format("the database")
    return fault
