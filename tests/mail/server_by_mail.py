"""A server that is played with by mail alone: the real gateway, desk, outbox and postman.

Mails go in as bytes and come out composed; nothing is taken from the inside. ``receive`` may be
put in the place of the direct way in, so that a real listener stands before the gateway.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.mail.compose import OutgoingMail
from pbmserv.mail.gateway import Gateway, Handled
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.mail.outbox_sender import OutboxSender
from pbmserv.mail.tokens import Key, Keys
from pbmserv.store.store import Store
from tests.local_server import CheapPasswords, Clock
from tests.mail.loopback_mail_server import read

US = "pbmserv@example.org"
OPERATOR = "operator@example.org"

Receive = Callable[[bytes, Envelope], str]


class Pocket(Keyring):
    """A keyring without a file."""

    def signing_keys(self, now: int) -> Keys:
        del now
        return [Key(7, b"k" * 32)]


@dataclass
class Basket:
    """A way out that keeps what it gets."""

    mails: list[OutgoingMail] = field(default_factory=list)

    def send(self, mail: OutgoingMail) -> str:
        self.mails.append(mail)
        return ""

    def close(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True)
class Letter:
    """A mail of the server, as the player's program shows it."""

    sent: OutgoingMail
    message: EmailMessage

    @property
    def to(self) -> str:
        return self.sent.recipient

    @property
    def subject(self) -> str:
        return str(self.message["Subject"])

    @property
    def reply_to(self) -> str:
        return str(self.message["Reply-To"] or self.message["From"])

    @property
    def text(self) -> str:
        part = self.message.get_body(("plain",))
        assert part is not None
        return str(part.get_content())


@dataclass
class ClubByMail:
    """The server and its post."""

    url: str
    clock: Clock = field(default_factory=Clock)
    log: list[Handled] = field(default_factory=list)
    basket: Basket = field(default_factory=Basket)
    mailed: int = 0

    def __post_init__(self) -> None:
        self.desk = self.new_desk()
        self.keyring = Pocket("nowhere")  # type: ignore[arg-type]
        self.gateway = self.new_gateway(self.desk)
        self.receive: Receive = self.receive_directly

    def new_desk(self) -> Desk:
        return Desk(
            lambda: Store.open(self.url),
            TimeAndChance(now=self.clock.now, sleep=self.clock.sleep),
            passwords=CheapPasswords(),
            writes_letters=lambda: True,
        )

    def new_gateway(self, desk: Desk) -> Gateway:
        return Gateway(
            desk,
            ServerAddress(US),
            keys=lambda: self.keyring.signing_keys(self.clock.now()),
            log=self.log.append,
            operator=OPERATOR,
        )

    def receive_directly(self, data: bytes, envelope: Envelope) -> str:
        return self.gateway.receive(data, envelope, "test").outcome

    def close(self) -> None:
        self.desk.close()

    def memory(self) -> tuple[Any, ...]:
        """Return what it knows besides its database."""
        return self.clock.seconds, self.mailed, *self.log

    def remember(self, *memory: Any) -> None:
        self.clock.seconds, self.mailed, *self.log[:] = memory

    def mail(
        self,
        sender: str,
        subject: str = "",
        text: str = "",
        *,
        to: str = US,
        headers: Sequence[tuple[str, str]] = (),
        times: int = 1,
    ) -> str:
        """Send a mail, so many times over, and return what came of it the first time."""
        self.mailed += 1
        data = written(sender, subject, text, number=self.mailed, to=to, headers=headers)
        envelope = Envelope(recipient=to, sender=sender)
        first, *_ = [self.receive(data, envelope) for _ in range(times)]
        return first

    def reply(self, letter: Letter, text: str = "", *, subject: str = "", times: int = 1) -> str:
        """Answer a letter as a mail program does: to its Reply-To, its own text quoted below."""
        quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
        thread = str(letter.message["Message-ID"])
        return self.mail(
            letter.to,
            subject or f"Re: {letter.subject}",
            f"{text}\n\nOn Friday the server wrote:\n{quoted}\n",
            to=letter.reply_to,
            headers=[("In-Reply-To", thread)],
            times=times,
        )

    def collect(self) -> list[Letter]:
        """Have the postman send what waits, and return it."""
        OutboxSender(
            self.desk.store, US, self.keyring, self.basket, self.clock.now, operator=OPERATOR
        ).send_due()
        mails, self.basket.mails = self.basket.mails, []
        return [Letter(mail, read(mail.content)) for mail in mails]

    def join(self, *userids: str) -> None:
        """Sign these up by mail and verify their addresses, as they would themselves."""
        for userid in userids:
            self.mail(f"{userid}@example.net", f"signup {userid} secret-{userid}")
            (welcome,) = self.collect()
            self.reply(welcome)
            self.collect()


def written(
    sender: str,
    subject: str,
    text: str,
    *,
    number: int,
    to: str = US,
    headers: Sequence[tuple[str, str]] = (),
) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"] = f"Somebody <{sender}>"
    message["To"] = to
    if subject:
        message["Subject"] = subject
    message["Message-ID"] = f"<{number}.mail@{sender.rpartition('@')[2]}>"
    for name, value in headers:
        message[name] = value
    message.set_content(text)
    return message.as_bytes()
