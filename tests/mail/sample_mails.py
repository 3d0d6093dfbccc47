"""Mails for the tests, put together from what matters in each."""

from pbmserv.mail.inbound import Envelope, Incoming, read_mail
from pbmserv.mail.tokens import Key

BASE = "pbmserv@example.org"
ALICE = "alice@example.org"
KEYS = (Key(2, b"2" * 32), Key(1, b"1" * 32))


def mail(*headers: str, body: str | bytes = "", sender: str | None = ALICE) -> bytes:
    """Return a mail with these header lines, and a From header unless there is no sender."""
    lines = [*([f"From: {sender}"] if sender else []), *headers]
    content = body if isinstance(body, bytes) else body.encode()
    return "".join(f"{line}\n" for line in lines).encode() + b"\n" + content


def read(*headers: str, body: str | bytes = "", envelope: Envelope | None = None) -> Incoming:
    """Return what the mail with these headers says; it must be readable."""
    incoming = read_mail(mail(*headers, body=body), envelope)
    assert isinstance(incoming, Incoming)
    return incoming


def multipart(*parts: str, kind: str = "alternative") -> tuple[str, str]:
    """Return the header and the body of a mail with these parts, each with its own headers."""
    body = "".join(f"--cut\n{part}\n" for part in parts) + "--cut--\n"
    return f'Content-Type: multipart/{kind}; boundary="cut"', body
