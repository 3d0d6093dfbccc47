"""What ``serve`` does beside the commands of shells: mails in, letters, clocks, robots.

Each chore is what ``mail run`` or ``mail serve`` does, in a process of its own beside the workers;
one that ends is begun again.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from pbmserv.cli.mail_log import Log
from pbmserv.cli.mail_outbox import our_address
from pbmserv.cli.mail_receive import listen, run, send
from pbmserv.settings import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbmserv.cli.shell import Shell
    from pbmserv.mail.listener import ListenAddress

    Chore = Callable[[], object]


def chores_for(shell: Shell, places: list[ListenAddress]) -> list[Chore]:
    """Return what is to be done for the club of the settings, which is then there.

    Raises :class:`Fault` where it cannot be done.
    """
    has_maildir = bool(find("maildir"))
    if places or has_maildir:
        our_address()
    shell.open_store().close()
    chores = []
    if places:
        chores.append(partial(_chore, shell, [], partial(listen, shell, places)))
    if has_maildir:
        chores.append(partial(_chore, shell, places, partial(run, shell)))
    return [*chores] or [partial(_chore, shell, [], partial(send, shell))]


def _chore(shell: Shell, places: list[ListenAddress], what: Chore) -> None:
    """Do it, without the sockets of others, and note what goes wrong."""
    for place in places:
        for listening in place.sockets:
            listening.close()
    try:
        what()
    except Exception as error:
        Log(shell, sys.stderr.write).failed(error)
        raise


def do_chore(chore: Chore, lifeline: int) -> None:
    """Do it until SIGTERM, or until the other end of ``lifeline`` is closed."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    chore()


def _end_with(lifeline: int) -> None:
    waiting = select.poll()
    waiting.register(lifeline, select.POLLHUP)
    waiting.poll()
    os.kill(os.getpid(), signal.SIGTERM)
