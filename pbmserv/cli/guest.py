"""A command that the resident server does for the process that was started: what it may not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbmserv.desk.passwords import Passwords

passwords: Passwords | None = None
"""The passwords that the server found right; None in a process that was started for its command."""


class Declined(BaseException):
    """Leaves a command that only the process that was started can do; nothing was changed."""


def is_guest() -> bool:
    """Tell whether this process does what another one was started for."""
    return passwords is not None


def need_own_process() -> None:
    """Go on only in the process that was started: for what asks, reads input or lives long."""
    if is_guest():
        raise Declined
