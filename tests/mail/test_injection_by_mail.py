"""500 payloads that would be headers, brought by mail in Subject, userid, comment and option.

Each is brought in one of the four, one after the other; with --full in all of them.
"""

from base64 import b64encode
from email import message_from_bytes
from pathlib import Path
from quopri import encodestring

import pytest

from pbmserv.mail.inbound import Envelope
from tests import databases
from tests.mail.server_by_mail import US, ClubByMail, Letter
from tests.mail.test_injection import EXPECTED, OPTIONAL, PAYLOADS, names

pytestmark = pytest.mark.slow

ALICE, BOB = "alice@example.net", "bob@example.net"
PAUSE = 7200
"""Seconds between two mails: no quota of commands or answers is used up."""


def encoded(text: str) -> bytes:
    """Return the text as an encoded word, which is how a line break gets into a header."""
    raw = text.encode("utf-8", "surrogatepass")
    return b"=?utf-8?b?" + b64encode(raw) + b"?="


def mails(number: int, payload: str, token: str, *, full: bool) -> list[tuple[str, str, bytes]]:
    """Return sender, recipient and mail for every place where a payload can stand."""
    word = payload.replace(" ", "").replace(":", ".")
    body = encodestring(payload.encode("utf-8", "surrogatepass"))
    stranger = f"new{number}@example.com"
    subjects = [
        (ALICE, US, encoded(payload), b""),
        (ALICE, token, encoded(payload), b""),
        (ALICE, US, encoded(f"star show {payload}"), b""),
    ]
    userids = [
        (stranger, US, encoded(f"signup {payload} long-secret"), b""),
        (stranger, US, encoded(f"signup {word} long-secret {payload}"), b""),
    ]
    comments = [
        (ALICE, US, b"message alice secret-alice bob", body),
        (ALICE, token, b"chat", body),
        (ALICE, US, b"star challenge alice secret-alice bob -size=3", body),
    ]
    options = [
        (ALICE, US, encoded(f"star challenge alice secret-alice bob -size={payload}"), b""),
        (ALICE, US, encoded(f"star challenge alice secret-alice bob '-size=3{payload}'"), b""),
    ]
    places = (subjects, userids, comments, options)
    chosen = places if full else [places[number % len(places)]]
    placed = [ways[number // len(places) % len(ways)] for ways in chosen]
    return [
        (sender, to, _mail(f"{number}.{place}", sender, to, subject, text))
        for place, (sender, to, subject, text) in enumerate(placed)
    ]


def _mail(name: str, sender: str, to: str, subject: bytes, text: bytes) -> bytes:
    head = f"From: {sender}\nTo: {to}\nMessage-ID: <{name}@example.net>\n"
    kind = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    return head.encode() + b"Subject: " + subject + b"\n" + kind + b"\n" + text


def check(letter: Letter, senders: set[str]) -> None:
    content = letter.sent.content
    head = content.partition(b"\r\n\r\n")[0]

    assert sorted(name for name in names(content) if name not in OPTIONAL) == EXPECTED
    assert message_from_bytes(content)["To"] == letter.to
    assert letter.to in senders
    assert b"victim" not in head
    assert b"x-evil" not in head.lower()


def test_no_payload_becomes_a_header_or_a_recipient(
    sqlite_template: Path, tmp_path: Path, *, full: bool
) -> None:
    office = ClubByMail(databases.copy_template(sqlite_template, tmp_path / "database"))
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    token = next(letter.reply_to for letter in office.collect() if letter.to == ALICE)
    assert len(PAYLOADS) >= 500
    letters = 0
    senders = {ALICE, BOB}
    for number, payload in enumerate(PAYLOADS):
        for sender, to, data in mails(number, payload, token, full=full):
            senders.add(sender)
            office.receive(data, Envelope(to, sender))
            office.clock.seconds += PAUSE
        for letter in office.collect():
            check(letter, senders)
            letters += 1
    office.close()
    print(f"{len(PAYLOADS)} payloads, {letters} letters")

    assert letters > len(PAYLOADS) / 4
