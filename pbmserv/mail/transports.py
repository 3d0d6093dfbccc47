"""Ways out for mails: an SMTP server, the sendmail program, a Maildir, or the screen.

The setting ``mail_transport`` chooses one by a URL. The envelope sender takes the bounces; the
recipient is never read from the mail itself.
"""

import os
import re
import smtplib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pbmserv.errors import Fault
from pbmserv.mail.compose import OutgoingMail
from pbmserv.store.files.new_file import sync

TIMEOUT = 60.0
"""Seconds that a server or program may stay silent."""

Answer = tuple[int, bytes | str]
"""The reply of an SMTP server: a code and words."""

DONE = 250
ACCEPTED = frozenset({DONE, 251})
GO_ON = 354
CLOSING = 421
SAID = "The mail server said: "
QUEUED = re.compile(
    rb"(?:queued as |\bid=|^2[0-9.]+ (?=[A-Za-z-]*[0-9]))([A-Za-z0-9.-]{5,64})(?![\w@])"
)
"""How Postfix, Exim, and Sendmail or OpenSMTPD name a mail that they have accepted."""

LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)


def is_for_good(error: str) -> bool:
    """Tell whether a letter failed since a mail server will never take it."""
    return error.startswith(f"{SAID}5")


class DeliveryFault(Fault):
    """A mail did not leave; with ``is_for_all`` no other would either for the time being."""

    def __init__(self, message: str, *, code: str, is_for_all: bool = False) -> None:
        super().__init__(message, code=code)
        self.is_for_all = is_for_all


class Transport(Protocol):
    """A way out. Used for one mail after the other, then closed."""

    def send(self, mail: OutgoingMail) -> str:
        """Hand the mail over, and responsibility for it; raises :class:`DeliveryFault`.

        Returns the name under which it is known from now on, "" if nobody said.
        """

    def close(self) -> None:
        """Let go of whatever is held open between mails."""


class _LetGo:
    def close(self) -> None:
        """Nothing is held open."""


class Way(NamedTuple):
    """A kind of transport: the form of its URL, and what opens it or raises ValueError."""

    form: str
    open: Callable[[SplitResult], Transport]


WAYS = {
    "smtp": Way("smtp://USER:PASSWORD@HOST:PORT", lambda url: SmtpTransport(_server(url, 25))),
    "smtps": Way("smtps://...", lambda url: SmtpTransport(_server(url, 465, "at once"))),
    "sendmail": Way("sendmail:/PATH", lambda url: SendmailTransport(_path(url))),
    "maildir": Way("maildir:/FOLDER", lambda url: MaildirTransport(_path(url))),
    "print": Way("print:", lambda _: ScreenTransport(sys.stdout.write)),
}
"""The ways out by the scheme of their URLs."""


def open_transport(url: str) -> Transport:
    """Return the way out that the URL describes; raises :class:`Fault` for a URL that is none."""
    try:
        parts = urlsplit(url)
        return WAYS[parts.scheme].open(parts)
    except (KeyError, ValueError):
        # The URL may hold a password: it is never shown.
        *forms, last = (way.form for way in WAYS.values())
        raise Fault(
            "The setting mail_transport cannot be read.",
            code="bad-mail-out",
            hint=f"It is {', '.join(forms)} or {last}.",
        ) from None


def _path(url: SplitResult) -> Path:
    path = Path(unquote(url.path))
    if url.netloc or not path.is_absolute():
        raise ValueError
    return path


@dataclass(frozen=True)
class Server:
    """An SMTP server: where it is, how to be let in, and whether lines are to be encrypted.

    ``tls`` is "at once", "required", "offered" (used if the server has it) or "off".
    """

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    tls: str = "offered"


def _server(url: SplitResult, port: int, always: str = "") -> Server:
    """Return the server of a URL, with this port if it has none; ``always`` may settle ``tls``."""
    if not url.hostname or url.path not in {"", "/"} or url.fragment:
        raise ValueError
    wish = parse_qs(url.query, strict_parsing=True) if url.query else {}
    is_local = url.hostname in {"localhost", "127.0.0.1", "::1"}
    # A password goes over a line in the clear only within this machine, or if so ordered.
    usual = "off" if is_local else "required" if url.username else "offered"
    tls = always or wish.pop("tls", [usual])[0]
    if wish or tls not in {"at once", "required", "offered", "off"}:
        raise ValueError
    user, password = (unquote(text or "") for text in (url.username, url.password))
    return Server(url.hostname, url.port or port, user, password, tls)


@dataclass
class SmtpTransport:
    """An SMTP server, connected to when the first mail goes out and kept for those after it."""

    server: Server
    timeout: float = TIMEOUT
    _connection: smtplib.SMTP | None = None

    def send(self, mail: OutgoingMail) -> str:
        """Hand the mail to the server; its yes at the end of the mail is what counts."""
        try:
            connection = self._introduced(mail)
            # From here on it may have been accepted: it is never sent anew at once.
            answer = _send(connection, mail.content)
        except smtplib.SMTPServerDisconnected as error:
            self._forget()
            raise DeliveryFault("The mail server closed the connection.", code="cut") from error
        except smtplib.SMTPResponseException as error:
            answer = (error.smtp_code, error.smtp_error)
        except (smtplib.SMTPException, OSError) as error:
            self._forget()
            raise DeliveryFault("The connection to the mail server failed.", code="cut") from error
        if answer[0] != DONE:
            self._forget()
            raise _refused(answer)
        named = QUEUED.search(answer[1] if isinstance(answer[1], bytes) else answer[1].encode())
        return named[1].decode() if named else ""

    def close(self) -> None:
        """Say goodbye to the server."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.quit()
            except (smtplib.SMTPException, OSError):
                connection.close()

    def _introduced(self, mail: OutgoingMail) -> smtplib.SMTP:
        """Return a connection on which the server waits for this mail; raises what smtplib does.

        Many servers end a conversation after so many mails, or between two. Nothing of this mail
        was sent then, and it is tried once more on a new connection.
        """
        if self._connection is not None:
            answer: Answer = (CLOSING, b"")
            with suppress(smtplib.SMTPServerDisconnected):
                answer = _introduce(self._connection, mail)
            if answer[0] != CLOSING:
                return self._wanted(answer)
            self._forget()
        return self._wanted(_introduce(self._connected(), mail))

    def _wanted(self, answer: Answer) -> smtplib.SMTP:
        """Return the connection if the server wants the mail; raises :class:`DeliveryFault`."""
        connection = self._connected()
        if answer[0] == GO_ON:
            return connection
        if answer[0] == CLOSING:
            self._forget()
        else:
            # A server that hangs up now has said what it had to say.
            with suppress(smtplib.SMTPServerDisconnected):
                connection.rset()
        raise _refused(answer)

    def _connected(self) -> smtplib.SMTP:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except smtplib.SMTPAuthenticationError:
                # What the server says of a login might repeat it.
                raise _unreachable("does not accept the user name and password") from None
            except smtplib.SMTPException as error:
                raise _unreachable("gave an unexpected answer") from error
            except OSError as error:
                raise _unreachable("cannot be reached") from error
        return self._connection

    def _connect(self) -> smtplib.SMTP:
        server = self.server
        if server.tls == "at once":
            context = ssl.create_default_context()
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=self.timeout, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=self.timeout)
        try:
            connection.ehlo()
            offers = connection.has_extn("starttls")
            if server.tls == "required" or (server.tls == "offered" and offers):
                connection.starttls(context=ssl.create_default_context())
                connection.ehlo()
            if server.user:
                connection.login(server.user, server.password)
        except BaseException:
            connection.close()
            raise
        return connection

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


@dataclass
class SendmailTransport(_LetGo):
    """A program that is called as sendmail is, once for each mail."""

    program: Path
    timeout: float = TIMEOUT

    def send(self, mail: OutgoingMail) -> str:
        """Give the mail to the program; the recipient is an argument, never read from the mail."""
        words = [str(self.program), "-i", "-f", mail.sender, "--", mail.recipient]
        try:
            done = subprocess.run(
                words,
                input=mail.content.replace(b"\r\n", b"\n"),
                timeout=self.timeout,
                capture_output=True,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeliveryFault(
                "The sendmail program cannot be run.", code="unreachable", is_for_all=True
            ) from error
        if done.returncode:
            raise DeliveryFault(
                f"The sendmail program failed with exit code {done.returncode}.", code="refused"
            )
        return ""


@dataclass
class MaildirTransport(_LetGo):
    """A folder into which each mail is put whole, as a mail server delivers it."""

    folder: Path
    count: int = 0

    def send(self, mail: OutgoingMail) -> str:
        """Write the mail under ``tmp``, and move it to ``new`` when it is safely on disk."""
        self.count += 1
        host = socket.gethostname().replace("/", "_").replace(":", "_")
        name = f"{time.time_ns()}.P{os.getpid()}Q{self.count}.{host}"
        envelope = f"Return-Path: <{mail.sender}>\nDelivered-To: {mail.recipient}\n".encode()
        try:
            for part in ("tmp", "new", "cur"):
                (self.folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)
            written = self.folder / "tmp" / name
            with written.open("xb") as file:
                file.write(envelope + mail.content.replace(b"\r\n", b"\n"))
                file.flush()
                os.fsync(file.fileno())
            written.rename(self.folder / "new" / name)
            sync(self.folder / "new")
        except OSError as error:
            raise DeliveryFault(
                f"The Maildir {self.folder} cannot be written.", code="unreachable", is_for_all=True
            ) from error
        return name


@dataclass
class ScreenTransport(_LetGo):
    """For trying things out: the mails are written out and go nowhere."""

    write: Callable[[str], object]

    def send(self, mail: OutgoingMail) -> str:
        """Write the headers and the plain text."""
        message = message_from_bytes(mail.content, policy=default)
        body = message.get_body(("plain",))
        lines = [f"{name}: {value}" for name, value in message.items() if name != "MIME-Version"]
        lines += ["", "" if body is None else body.get_content()]
        self.write("\n".join(lines) + "\n")
        return ""


def _unreachable(what: str) -> DeliveryFault:
    return DeliveryFault(f"The mail server {what}.", code="unreachable", is_for_all=True)


def _introduce(connection: smtplib.SMTP, mail: OutgoingMail) -> Answer:
    """Name sender and recipient to the server, then announce the mail; return the last answer.

    That is ``GO_ON`` if the server waits for the mail, or else the first no.
    """
    size = [f"size={len(mail.content)}"] if connection.has_extn("size") else []
    answer = connection.mail(mail.sender, size)
    if answer[0] in ACCEPTED:
        answer = connection.rcpt(mail.recipient)
    return connection.docmd("DATA") if answer[0] in ACCEPTED else answer


def _send(connection: smtplib.SMTP, content: bytes) -> Answer:
    connection.send(LEADING_DOT.sub(b"..", content) + b".\r\n")
    return connection.getreply()


def _refused(answer: Answer) -> DeliveryFault:
    """Say what a server answered, without anything that is not plain ASCII."""
    code, text = answer
    said = text.decode("ascii", "replace") if isinstance(text, bytes) else text
    plain = "".join(c if c.isascii() and c.isprintable() else " " for c in said)
    words = f"{SAID}{code} {' '.join(plain.split())[:150]}"
    return DeliveryFault(words, code="refused")
