"""``mail receive``, ``run`` and ``serve``: mails in."""

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pbmserv.cli.background_work import BackgroundWork
from pbmserv.cli.log_lines import appender
from pbmserv.cli.mail_log import Log
from pbmserv.cli.mail_outbox import our_address
from pbmserv.cli.mail_shunt import Maildir, spool_at
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault, Misunderstood
from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import MAX_SIZE, Envelope
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.loop_guard import Own
from pbmserv.settings import find, mail_keys
from pbmserv.store.location import parse_location

if TYPE_CHECKING:
    from pbmserv.mail.listener import ListenAddress, Listener

PAUSE = 2.0
"""Seconds between two looks at a Maildir."""

CHUNK = 1024 * 1024


Recipient = Option("ADDRESS", "the address that the mail server delivers to")
Sender = Option("ADDRESS", "the return path that the mail server was told")


@command()
def receive(
    shell: Shell,
    *,
    recipient: Annotated[str | None, Recipient] = None,
    sender: Annotated[str | None, Sender] = None,
) -> int:
    """Read one mail from standard input, for the pipe of a mail server.

    It exits with 0 when the mail has been dealt with, refusals included, and with 75 when it should
    be tried again; it never prints anything. The reason is in the log of the setting mail_log, or
    else in the system's log.
    """
    data = sys.stdin.buffer.read(MAX_SIZE + 1)
    while sys.stdin.buffer.read(CHUNK):
        pass  # a mail server takes it ill when somebody stops listening
    gateway = open_gateway(shell, Log(shell, appender("mail_log") or str))
    with closing(gateway.desk):
        gateway.receive(data, Envelope(recipient, sender), "pipe")
    return EXIT_DONE


Once = Flag("stop when nothing is left to do")


@command()
def run(shell: Shell, *, once: Annotated[bool, Once] = False, maildir: Maildir = None) -> int:
    """Deal with the incoming mail in a Maildir and send the answers, until stopped.

    The clocks are settled every ten minutes, as by tick. Each mail is moved from new/ to cur/ once
    it is stored; one that fails three times goes to shunt/. With -once, the exit code is 1 if any
    mail failed.
    """
    spool = spool_at(maildir)
    log = Log(shell, sys.stderr.write)
    shell.open_store().close()
    spool.prepare()
    gateway = open_gateway(shell, log)
    stop = stop_signal()
    has_failed = False

    def is_store_well() -> bool:
        with suppress(Fault), gateway.desk.store.writing():
            return True
        return False

    def work_off() -> int:
        nonlocal has_failed
        done = 0
        for is_done in spool.work(
            lambda data: gateway.receive(data, Envelope(), "maildir"), is_store_well, log.failed
        ):
            done += is_done
            has_failed = has_failed or not is_done
            if stop.is_set():
                break
        return done

    try:
        if once:
            work = BackgroundWork(gateway.desk, log)
            while work_off() and spool.waiting() and not stop.is_set():
                work.round()
            work.round()
            return EXIT_REFUSED if has_failed else EXIT_DONE
        with BackgroundWork(shell.new_desk(), log).beside() as send_soon:
            while not stop.is_set():
                if work_off():
                    send_soon()
                stop.wait(PAUSE)
    finally:
        gateway.desk.close()
    return EXIT_DONE


@dataclass(frozen=True)
class Listening:
    """The options that say where to listen."""

    lmtp: Annotated[str | None, Option("HOST:PORT|/PATH", "where to listen for LMTP")] = None
    smtp: Annotated[str | None, Option("HOST:PORT|/PATH", "where to listen for SMTP")] = None
    public: Annotated[bool, Flag("allow an address that others can reach")] = False

    def places(self) -> "list[ListenAddress]":
        """Return where that is; raises :class:`Fault`."""
        from pbmserv.mail.listener import parse_listen_address

        return [
            parse_listen_address(text, is_lmtp=is_lmtp, is_public=self.public)
            for text, is_lmtp in ((self.lmtp, True), (self.smtp, False))
            if text
        ]


@command()
def serve(shell: Shell, *, listening: Listening) -> int:
    """Receive mail by LMTP or SMTP and send the answers, until stopped.

    The clocks are settled every ten minutes, as by tick. A mail is accepted once it is stored;
    otherwise the mail server is told to try again later.
    """
    places = listening.places()
    if not places:
        raise Misunderstood(
            "Say where to listen.",
            code="missing-word",
            hint="As in: pbmserv mail serve --lmtp=127.0.0.1:8024",
        )
    shell.open_store().close()
    listen(shell, places)
    return EXIT_DONE


def listen(shell: Shell, places: "list[ListenAddress]") -> None:
    """Take in what is brought to these places and send the answers, until stopped."""
    log = Log(shell, sys.stderr.write)
    with BackgroundWork(shell.new_desk(), log).beside() as send_soon:
        open_listener(shell, log, send_soon).run(
            places, lambda: log.say(f"Listening at {', '.join(map(str, places))}.")
        )


def send(shell: Shell) -> None:
    """Send letters, settle the clocks and move for robots, until stopped."""
    stop = stop_signal()
    with BackgroundWork(shell.new_desk(), Log(shell, sys.stderr.write)).beside():
        stop.wait()


def open_listener(shell: Shell, log: Log, done: Callable[[], object]) -> "Listener":
    """Return what takes in the mails that are brought to it, as the settings describe.

    Where the database lets several write at once, several processes do. ``done`` is called after
    each mail. Raises :class:`Fault`.
    """
    from pbmserv.cli.mail_workers import Workers
    from pbmserv.mail.listener import Listener, OneByOne

    gateway = open_gateway(shell, log)
    if parse_location(shell.database).path is None:
        return Listener(gateway.own, Workers(shell.options, gateway.own.address, done), log.failed)

    def take(data: bytes, envelope: Envelope) -> None:
        gateway.receive(data, envelope, "listener")
        done()

    return Listener(gateway.own, OneByOne(take, gateway.desk.close), log.failed)


def open_gateway(shell: Shell, log: Log) -> Gateway:
    """Return the gateway that the settings describe; raises :class:`Fault`."""
    own, keyring, dmarc = Own(our_address()), Keyring(mail_keys()), find("mail_dmarc")
    desk = shell.new_desk()
    return Gateway(
        desk,
        own,
        keys=lambda: keyring.signing_keys(desk.world.now()),
        log=log.handled,
        mail_server=find("mail_server") or dmarc or "",
        demands_dmarc=bool(dmarc),
        operator=find("mail_operator"),
    )


def stop_signal() -> threading.Event:
    """Return what is set when the program is asked to stop."""
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    return stop
