"""Letters, a store and a mail server on loopback for the tests of what goes out."""

import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.mail.compose import MailIdentity, OutgoingMail, compose
from pbmserv.mail.tokens import Key
from pbmserv.store.mail.outbox import OutboxItem

NOW = 1_800_000_000
US = "pbmserv@example.org"
IDENTITY = MailIdentity(US, [Key(1, b"k" * 32)])


def plain_letter(number: int = 1, **values: Any) -> Letter:
    return Letter(
        LetterKind.BOARD, f"a{number}@example.org", "Star Board 101 alice", "Hello.", **values
    )


def composed(letter: Letter, number: int = 5) -> OutgoingMail:
    return compose(OutboxItem(number, letter, NOW, NOW, 1), IDENTITY)


def read(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def queue_id(number: int) -> str:
    """Return what a server calls its so manieth mail."""
    return f"4bQ{number:05}z"


@dataclass
class MailServer:
    """Keeps what it is given; ``refuse`` is its answer to a recipient or the end of a mail.

    If there is a ``most`` it takes no more mails in one conversation; then it says ``farewell`` or,
    if that is empty, hangs up without a word.
    """

    port: int = 0
    mails: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    refuse: dict[str, str] = field(default_factory=dict)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)
    cuts: int = 0
    most: int | None = None
    farewell: str = ""
    begun: Counter[Any] = field(default_factory=Counter)
    options: list[list[str]] = field(default_factory=list)
    """What was said of each mail beside its sender."""

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        self.begun[session.peer] += 1
        self.options.append(options)
        if self.most is not None and self.begun[session.peer] > self.most:
            if not self.farewell:
                assert server.transport is not None
                server.transport.close()
            return self.farewell or "250 never heard"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if answer := self.refuse.get(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:
        if self.cuts:
            self.cuts -= 1
            assert server.transport is not None
            server.transport.close()
            return "250 never heard"
        content = envelope.original_content
        assert content is not None
        self.mails.append((envelope.mail_from or "", list(envelope.rcpt_tos), content))
        return self.refuse.get("DATA", f"250 2.0.0 Ok: queued as {queue_id(len(self.mails))}")

    @property
    def message_ids(self) -> list[str]:
        return [read(content)["Message-ID"] for _, _, content in self.mails]


@contextmanager
def mail_server(*, port: int = 0, **options: Any) -> Iterator[MailServer]:
    """Run a mail server on loopback for the time of the block."""
    server = MailServer()
    controller = Controller(server, hostname="127.0.0.1", port=port or free_port(), **options)
    controller.start()
    server.port = controller.port
    try:
        yield server
    finally:
        controller.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
