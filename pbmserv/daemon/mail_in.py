"""Mails in: what takes one in, as the settings describe it, and ``mail receive``."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Annotated

from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Option, command
from pbmserv.daemon.letters_out import our_address
from pbmserv.daemon.mail_log import Log, mail_log
from pbmserv.errors import EXIT_DONE
from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import MAX_SIZE, Envelope
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.settings import find, mail_keys

Recipient = Option("ADDRESS", "the address that the mail server delivers to")
Sender = Option("ADDRESS", "the return path (the envelope's sender)")


@command()
def receive(
    shell: Shell,
    *,
    recipient: Annotated[str | None, Recipient] = None,
    sender: Annotated[str | None, Sender] = None,
) -> int:
    """Read one mail from standard input, for the pipe of a mail server.

    The exit code is 0 if the mail has been handled, also if it was refused, and 75 if it should be
    tried again. Nothing is printed. The reason is in the log that the setting mail_log names, or in
    the system's log.
    """
    data = sys.stdin.buffer.read(MAX_SIZE + 1)
    while sys.stdin.buffer.read(1 << 20):
        pass  # a mail server takes it ill when somebody stops listening
    gateway = open_gateway(shell, mail_log(shell))
    with closing(gateway.desk):
        gateway.receive(data, Envelope(recipient, sender), "pipe")
    return EXIT_DONE


def open_gateway(shell: Shell, log: Log) -> Gateway:
    """Return the gateway that the settings describe; raises :class:`Fault`."""
    own, keyring = ServerAddress(our_address()), Keyring(mail_keys())
    dmarc = find("mail_require_dmarc")
    desk = shell.new_desk()
    return Gateway(
        desk,
        own,
        keys=lambda: keyring.signing_keys(desk.world.now()),
        log=log.handled,
        mail_server=find("mail_authserv_id") or dmarc or "",
        demands_dmarc=bool(dmarc),
        operator=find("operator_address"),
    )
