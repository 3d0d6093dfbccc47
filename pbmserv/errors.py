"""Every error that a person may be told, as one tree.

::

    PbmservError
    ├── Refused            the sender's mistake: nothing has changed          exit 1
    │   ├── Misunderstood  the words or an option's value cannot be read      exit 2
    │   ├── InvalidMove    a move that cannot be read on this board
    │   ├── IllegalMove    a move that can be read but not played now
    │   ├── NotFound       no such board, player, page, ...
    │   ├── Denied         a wrong password, or not this player's right
    │   └── Throttled      too often, by the web: it may be tried again later
    └── Fault              ours: the store, the disk, a defect          exit 70 or 75
        ├── Postponed      too early for this mail, which waits          exit 70
        ├── Busy           too many passwords at once: it may be tried again   exit 70
        ├── Missing        a database or settings file named, but not there   exit 1
        ├── Paused         maintenance: nothing can be changed for now         exit 1
        └── CarriedOut     it was done, but by a server that could not say so  exit 3

A message is one sentence for people and never holds the sender's own words, because a word in
the wrong place may be a password. The offending word travels beside it in ``about`` and only the
shell shows it, and only when :func:`may_quote` says that it cannot be one.
"""

import re

EXIT_DONE = 0
EXIT_REFUSED = 1
EXIT_MISUNDERSTOOD = 2
EXIT_UNPRINTED = 3
"""Carried out, but the answer could not be printed."""
EXIT_FAULT = 70
EXIT_LATER = 75
"""Another program is in the way: the same may well be done later."""
EXIT_INTERRUPTED = 130

ENDING = r"(.*?)((?: \([^()]*\))?\.)"
"""A message, and what stands behind the word that it is about."""


class PbmservError(Exception):
    """An error for people: what was wrong, what would be right, and a code that never changes.

    ``code`` is the permanent name scripts may rely on; ``hint`` says what would be right, and
    ``meant`` is what was likely meant: a line, a word or several to choose from; ``syntax`` is
    how the command is written.
    ``about`` is the offending word: it is shown only if :func:`may_quote` says so, or if it
    ``is_harmless``, as a slip in the name of a command is. ``after`` is what stands before it
    wherever it is shown: the game before a word that is no verb.
    """

    exit_code: int = EXIT_FAULT

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str = "",
        meant: str = "",
        about: str | None = None,
        after: str = "",
        is_harmless: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.meant = meant
        self.syntax = ""
        self.about = about
        self.after = after
        self.is_harmless = is_harmless

    @property
    def advice(self) -> str:
        """What would be right, in lines."""
        meant = self.meant and f"Did you mean {self.meant}?"
        syntax = self.syntax and f"Syntax: {self.syntax}"
        return "\n".join(filter(None, (meant, self.hint, syntax)))

    @property
    def words(self) -> str:
        """What was wrong, and what would be right."""
        return f"{self.message} {self.advice}".strip()


class Refused(PbmservError):
    """The request is the sender's to mend; nothing has changed."""

    exit_code = EXIT_REFUSED


class Misunderstood(Refused):
    """The words do not make a command, or an option's value cannot be read."""

    exit_code = EXIT_MISUNDERSTOOD


class InvalidMove(Refused):
    """The move cannot be read: its cell is not on the board or it is no move at all."""


class IllegalMove(Refused):
    """The move can be read but the rules do not allow it in this position."""


class NotFound(Refused):
    """There is no such board, player or page."""


class Denied(Refused):
    """The password is wrong, or the player has no right to do this."""


class Throttled(Refused):
    """It was too often; the same may be tried again after so many ``seconds``."""

    def __init__(self, message: str, seconds: int, *, code: str, hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.seconds = seconds


class Fault(PbmservError):
    """Something on our side failed; the request may be right and can be tried again.

    ``is_transient`` says that two transactions met and the same one may well succeed now.
    """

    is_transient = False


class Postponed(Fault):
    """It is too early for a mail, which is kept and tried again after so many ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            "There were too many wrong passwords by mail: this one will be checked later.",
            code="password-waits",
        )
        self.seconds = seconds


class Busy(Fault):
    """Too many passwords wait to be looked at; the same may be tried after ``seconds``."""

    seconds = 2

    def __init__(self) -> None:
        super().__init__(
            "The server is busy; nothing was changed.",
            code="busy",
            hint="Try again in a few seconds.",
        )


class Missing(Fault):
    """A database or a settings file is not where it was said to be.

    In a shell it is the sender's slip, by mail no sender's: their mail is kept.
    """

    exit_code = EXIT_REFUSED


class Paused(Fault):
    """The operator lets nobody change anything for now; a mail is kept and tried again."""

    exit_code = EXIT_REFUSED

    def __init__(self) -> None:
        super().__init__(
            "The server is under maintenance; nothing was changed.",
            code="maintenance",
            hint="Try again later; all clocks are stopped.",
        )


class CarriedOut(Fault):
    """The command was done once, and is not done again."""

    exit_code = EXIT_UNPRINTED

    def __init__(self) -> None:
        super().__init__(
            "The command was carried out, but the server stopped before it could answer.",
            code="carried-out",
            hint="Check the result before you repeat the command.",
        )


def may_quote(word: str) -> bool:
    """Tell whether ``word`` can be shown to its sender because it can be nobody's password.

    A password has 8 printable ASCII characters or more.
    """
    return word.isascii() and word.isprintable() and 0 < len(word) < 8


def quoted(error: PbmservError) -> str:
    """Return the error's message with the offending word, where that word may be shown.

    It follows a colon, before what stands in brackets: ``Invalid value for -size: 66 (3 to 14).``
    """
    parts = re.fullmatch(ENDING, error.message)
    if error.about is None or parts is None:
        return error.message
    if not error.is_harmless and not may_quote(error.about):
        return error.message
    word = error.about if len(error.about) <= 30 else f"{error.about[:30]}..."
    return f"{parts[1]}: {error.after}{word}{parts[2]}"


def invalid_value(option: str, text: str, allowed: str) -> Misunderstood:
    """Return the error for an option's value; ``allowed`` says in words what it may be."""
    is_broken = re.fullmatch("-?[0-9]+ to -?[0-9]+", allowed) and re.search("[0-9][.,][0-9]", text)
    return Misunderstood(
        f"Invalid value for -{option} ({allowed}).",
        code="bad-option-value",
        hint="Only whole numbers are allowed." if is_broken else "",
        about=text,
    )
