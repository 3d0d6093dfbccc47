"""Letters out: what sends them, as the settings describe it, and ``mail send``."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, command
from pbmserv.daemon.mail_log import Log, mail_log
from pbmserv.desk.tick import tell_operator
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.tokens import check_base
from pbmserv.settings import find, mail_keys, required, value
from pbmserv.store.mail.outbox import LetterState

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbmserv.club.letter import Letter
    from pbmserv.desk.door import TimeAndChance
    from pbmserv.mail.outbox_sender import OutboxSender
    from pbmserv.store.store import Store

Once = Flag("only the mail that is due now")


@command()
def send(shell: Shell, *, once: Annotated[bool, Once] = False) -> int:
    """Send the waiting mail, each once, until none is due.

    The exit code is 1 if any could not be sent; it is tried again later, for five days.
    """
    with closing(shell.open_store()) as store:
        tell_operator(store, find("operator_address"), shell.desk.world.now())
        with store.reading() as records:
            waiting = records.outbox.counts()[LetterState.WAITING]
        sender = open_sender(store, shell.desk.world, mail_log(shell))
        done = sender.send_due(most=waiting if once else None)
    given_up = f", {done.given_up} given up" if done.given_up else ""
    said = f"Sent: {done.sent}. Failed: {done.failed}{given_up}."
    print_result(vars(done), said, shell.options)
    if done.stopped and not shell.options.json:
        print_notice(f"pbmserv: {done.stopped}")
    return EXIT_REFUSED if done.failed else EXIT_DONE


def open_sender(store: Store, world: TimeAndChance, log: Log) -> OutboxSender:
    """Return the sender that the settings describe; raises :class:`Fault`."""
    from pbmserv.mail.outbox_sender import OutboxSender
    from pbmserv.mail.transports import open_transport

    return OutboxSender(
        store,
        our_address(),
        Keyring(mail_keys()),
        open_transport(required("mail_transport")),
        world.now,
        find("operator_address"),
        _with_analysis(store) if value("mail_analysis") else lambda _: "",
        value("club_name"),
        value("unsubscribe_url"),
        value("web_url"),
        log.left,
    )


def _with_analysis(store: Store) -> Callable[[Letter], str]:
    """Return what adds an analysis to letters that tell of an end."""
    from pbmserv.desk.match_reviews import analysis_words

    return partial(analysis_words, store)


def our_address() -> str:
    """Return the address of this server; raises :class:`Fault` if it cannot carry tokens."""
    return check_base(required("mail_address"))
