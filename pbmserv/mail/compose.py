"""Letters become mails: headers from checked parts only, plain text, HTML and a picture."""

import string
from dataclasses import dataclass
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from functools import partial
from urllib.parse import quote, urlencode

from pbmserv.club.letter import MAX_PAGE, Letter, LetterKind, TokenScope, unsubscribe_command
from pbmserv.engine.moments import utc
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.mail.tokens import (
    Keys,
    address_claim,
    address_with,
    make_bounce_token,
    make_token,
    reset_token,
)
from pbmserv.render.board_letters import WayOn, letter_text
from pbmserv.render.letter_html import IN_BASE64, bytes_in_mail, letter_html
from pbmserv.render.png import letter_picture
from pbmserv.settings import CLUB
from pbmserv.store.mail.outbox import OutboxItem

MAX_BYTES_OF_WORDS = 60_000
"""Bytes that a mail without a board may have, its HTML page included."""

AROUND_PARTS = 1_100
"""Bytes at most around the parts of a mail."""

PART_OF_PICTURE = 4
"""The picture's least share of a mail, one part of so many; it also gets what links leave."""

HEADER = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
ENCODED_WORD = "=?"
MAX_HEADER = 900
MAX_NAME = 120


@dataclass(frozen=True)
class MailIdentity:
    """The identity of all our mails: our address, the keys that sign addresses, our name.

    ``way_out_url`` is a page that has no more of a kind of letters sent, ``web_url`` where the club
    is in a browser, with a slash at its end; both may be "".
    """

    address: str
    keys: Keys
    club: str = CLUB
    way_out_url: str = ""
    web_url: str = ""


@dataclass(frozen=True)
class OutgoingMail:
    """One mail, ready to be sent: ``content`` is all of it, ``sender`` where bounces go."""

    id: int
    sender: str
    recipient: str
    content: bytes


def compose(posted: OutboxItem, identity: MailIdentity) -> OutgoingMail:
    """Return the mail that a letter makes; the same but for the keys however often it is made."""
    letter = posted.letter
    # The library would decode encoded words in headers and fold in others: they are written here.
    lines = [
        f"From: {_sender(posted, identity)}\r\n",
        *(f"{name}: {header_value(value)}\r\n" for name, value in headers(posted, identity)),
    ]
    lines = [line.replace("> <", ">\r\n <") for line in lines]  # a Message-ID a line
    message = EmailMessage(policy=SMTP)
    onward = way_on(posted, identity)
    text = letter_text(letter, onward)
    message.set_content(text, cte=_encoding(text))
    # Strangers, whom anybody may have named as a sender, get as few bytes as will do.
    if letter.diagram is not None or (letter.player_id is not None and len(text) <= MAX_PAGE):
        most = MAX_BYTES_OF_WORDS if letter.diagram is None else letter.max_bytes
        room = most - len("".join(lines)) - len(message.as_bytes())
        _add_html(message, posted, identity, room, onward)
    content = "".join(lines).encode("ascii") + message.as_bytes()
    bounces = _signed_sender(posted, identity)
    # Only a trial goes to ourselves, and only what comes to a signed address is looked at then.
    recipient = bounces if letter.address == identity.address else letter.address
    return OutgoingMail(posted.id, bounces, recipient, content)


def headers(posted: OutboxItem, identity: MailIdentity) -> list[tuple[str, str]]:
    """Return all headers but From; none holds anything but our words and checked values."""
    letter = posted.letter
    own = ServerAddress(identity.address)
    rows = [
        ("To", letter.address),
        ("Subject", letter.subject),
        ("Date", format_datetime(utc(posted.created_at))),
        ("Message-ID", own.message_id(f"{posted.id}.{posted.created_at}")),
        ("Auto-Submitted", "auto-replied" if letter.is_answer else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Loop", identity.address),
    ]
    thread = [own.message_id(f"{number}.{at}") for number, at in posted.thread]
    if letter.in_reply_to is not None:
        thread.append(letter.in_reply_to)
    while len(" ".join(thread)) > MAX_HEADER:
        thread.pop(0)
    if thread:
        rows += [("In-Reply-To", thread[-1]), ("References", " ".join(thread))]
    reply_to = reply_address(letter, identity)
    if letter.kind is LetterKind.TRIAL:
        rows.append(("Reply-To", _signed_sender(posted, identity)))
    # What answers a message is not meant for us, but for its writer: it is another message.
    if reply_to is not None and letter.kind not in {LetterKind.BROADCAST, LetterKind.MESSAGE}:
        rows.append(("Reply-To", reply_to))
    words = unsubscribe_command(letter)
    if words is not None and reply_to is not None:
        links = [f"<{mailto(reply_to, words)}>"]
        if identity.way_out_url:
            asked = urlencode({"from": letter.address, "to": reply_to, "subject": words})
            links.append(f"<{identity.way_out_url}?{asked}>")
        if len(", ".join(links)) > MAX_HEADER:
            links.pop()
        elif identity.way_out_url:
            # One click is promised only where a page keeps the promise (RFC 8058).
            rows.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
        rows.append(("List-Unsubscribe", ", ".join(links)))
    return rows


def _sender(posted: OutboxItem, identity: MailIdentity) -> str:
    """Return our address under the names of the other players at the board."""
    others = " and ".join(posted.others)
    name = f"{others} via {identity.club}" if others else identity.club
    if name.isascii():
        return header_value(formataddr((name, identity.address)))
    if not name.isprintable() or len(name) > MAX_NAME:
        raise ValueError("a name of ours is one line of printable characters")
    return f"{Header(name, 'utf-8').encode(linesep='')} <{header_value(identity.address)}>"


def header_value(text: str) -> str:
    """Return ``text`` if it is one line of printable ASCII; raises :class:`ValueError`."""
    if not HEADER.issuperset(text) or ENCODED_WORD in text or len(text) > MAX_HEADER:
        raise ValueError("a header of ours is one line of printable ASCII, with nothing encoded")
    return text


def reply_address(letter: Letter, identity: MailIdentity) -> str | None:
    """Return the address that answers the letter without a password, if there is one."""
    token = _reply_token(letter, identity)
    return None if token is None else address_with(identity.address, token)


def _reply_token(letter: Letter, identity: MailIdentity) -> str | None:
    if letter.player_id is None or letter.revision is None:
        return None
    if letter.match_id is None:
        claim = address_claim(identity.keys, letter.player_id, letter.address)
    else:
        claim = TokenScope(letter.match_id, letter.player_id, letter.revision)
    return make_token(identity.keys, claim)


def way_on(posted: OutboxItem, identity: MailIdentity) -> WayOn | None:
    """Return where the letter's reader goes on in a browser, None where the club is in none.

    Nothing is changed by following it, and nobody is signed in.
    """
    letter, words, path = posted.letter, "", ""
    if letter.kind is LetterKind.WELCOME:
        words, path = "Verify this address", f"verify?t={_reply_token(letter, identity)}"
    elif letter.kind is LetterKind.RESET:
        token = reset_token(identity.keys, posted.id)
        words, path = "Choose a new password", f"reset?p={letter.player_id}&t={token}"
    elif letter.kind is LetterKind.DIGEST:
        words, path = "Open your boards", "my"
    elif posted.board:
        words, path = "Open the board", f"boards/{posted.board}.html"
    return WayOn(words, identity.web_url + path) if identity.web_url and path else None


def mailto(address: str, subject: str) -> str:
    """Return the URL that opens a mail to ``address`` with this Subject, ready to be sent."""
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='*:')}"


def move_link(address: str, subject: str, move: str) -> str:
    """Return the URL that opens an answer with this move as its first line, in the same thread."""
    return f"{mailto(address, f'Re: {subject}')}&body={quote(move, safe='')}"


def _signed_sender(posted: OutboxItem, identity: MailIdentity) -> str:
    """Return where what becomes of the letter is told: its envelope sender."""
    return address_with(identity.address, make_bounce_token(identity.keys, posted.id))


def _add_html(
    message: EmailMessage,
    posted: OutboxItem,
    identity: MailIdentity,
    room: float,
    onward: WayOn | None,
) -> None:
    """Add the letter as a page, with its picture; leave both out if ``room`` bytes are too few.

    Links go before the size of the picture.
    """
    letter, diagram = posted.letter, posted.letter.diagram
    reply_to = reply_address(letter, identity)
    picture_id = f"board.{posted.id}@{identity.address.rpartition('@')[2]}"
    room -= AROUND_PARTS
    html = letter_html(
        letter,
        f"cid:{picture_id}" if diagram else None,
        None if reply_to is None else partial(move_link, reply_to, letter.subject),
        room if diagram is None else room - letter.max_bytes // PART_OF_PICTURE,
        onward,
    )
    room -= bytes_in_mail(html)
    picture = b"" if diagram is None else letter_picture(diagram, int(room / IN_BASE64))
    if len(picture) * IN_BASE64 > room:
        return
    message.add_alternative(html, subtype="html", cte="7bit" if html.isascii() else "base64")
    page = list(message.iter_parts())[-1]
    if picture and isinstance(page, EmailMessage):
        page.add_related(
            picture,
            "image",
            "png",
            cid=f"<{picture_id}>",
            disposition="inline",
            filename="board.png",
        )


def _encoding(text: str) -> str:
    """Return the shortest encoding, and one that can be read as it stands where most is ASCII."""
    if text.isascii():
        return "7bit"
    of_others = len(text.encode()) - sum(map(str.isascii, text))
    return "base64" if len(text) + 2 * of_others > bytes_in_mail(text) else "quoted-printable"
