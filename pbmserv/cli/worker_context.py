"""Whether the command runs in a worker of the server, and what a worker may not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbmserv.desk.passwords import Passwords

passwords: Passwords | None = None
"""The worker's cache of right passwords; None outside of a worker."""


class DeclinedByWorker(BaseException):
    """Leaves a command that only a process of its own can execute; nothing was changed."""


def is_worker() -> bool:
    """Tell whether this process is a worker."""
    return passwords is not None


def require_own_process() -> None:
    """Leave a worker: for commands that ask, read input or run for long."""
    if is_worker():
        raise DeclinedByWorker
