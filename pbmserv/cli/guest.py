"""A command that the resident server does for the process that was started: what it may not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbmserv.desk.passwords import Passwords

is_guest = False
"""Whether this process does what another one was started for."""

key: str | None = None
"""What tells the command from any other, where a server may have done it already."""

passwords: Passwords | None = None
"""The passwords that the server found right; a process of one command has none."""


class Declined(BaseException):
    """Leaves a command that only the process that was started can do; nothing was changed."""


def need_own_process() -> None:
    """Go on only in the process that was started: for what asks, reads input or lives long."""
    if is_guest:
        raise Declined
