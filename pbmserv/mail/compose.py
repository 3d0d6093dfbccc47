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
from pbmserv.mail.loop_guard import Own
from pbmserv.mail.tokens import Keys, address_claim, address_with, make_bounce_token, make_token
from pbmserv.render.board_letters import letter_text
from pbmserv.render.letter_html import IN_BASE64, bytes_in_mail, letter_html
from pbmserv.render.png import letter_picture
from pbmserv.settings import CLUB
from pbmserv.store.mail.outbox import Posted

MOST_BYTES_OF_WORDS = 60_000
"""How large a mail without a board may become by its page."""

AROUND_PARTS = 1_100
"""Bytes at most around the parts of a mail."""

PART_OF_PICTURE = 4
"""What part of a mail is its picture's at least; it has all that its links leave, too."""

HEADER = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
ENCODED_WORD = "=?"
LONGEST_HEADER = 900
LONGEST_NAME = 120


@dataclass(frozen=True)
class Stationery:
    """What all our mails have in common: our own address, the keys that sign others, our name.

    ``way_out_url`` is a page that has no more of a kind of letters sent, if there is one.
    """

    address: str
    keys: Keys
    club: str = CLUB
    way_out_url: str = ""


@dataclass(frozen=True)
class OutgoingMail:
    """One mail, ready to be sent: ``content`` is all of it, ``sender`` where bounces go."""

    id: int
    sender: str
    recipient: str
    content: bytes


def compose(posted: Posted, stationery: Stationery) -> OutgoingMail:
    """Return the mail that a letter makes; the same but for the keys however often it is made."""
    letter = posted.letter
    # The library would decode encoded words in headers and fold in others: they are written here.
    lines = [
        f"From: {_sender(posted, stationery)}\r\n",
        *(f"{name}: {header_value(value)}\r\n" for name, value in headers(posted, stationery)),
    ]
    lines = [line.replace("> <", ">\r\n <") for line in lines]  # a Message-ID a line
    message = EmailMessage(policy=SMTP)
    text = letter_text(letter)
    message.set_content(text, cte=_encoding(text))
    # Strangers, whom anybody may have named as a sender, get as few bytes as will do.
    if letter.diagram is not None or (letter.player_id is not None and len(text) <= MAX_PAGE):
        most = MOST_BYTES_OF_WORDS if letter.diagram is None else letter.max_bytes
        room = most - len("".join(lines)) - len(message.as_bytes())
        _add_html(message, posted, stationery, room)
    content = "".join(lines).encode("ascii") + message.as_bytes()
    bounces = _signed_sender(posted, stationery)
    # Only a trial goes to ourselves, and only what comes to a signed address is looked at then.
    recipient = bounces if letter.address == stationery.address else letter.address
    return OutgoingMail(posted.id, bounces, recipient, content)


def headers(posted: Posted, stationery: Stationery) -> list[tuple[str, str]]:
    """Return all headers but From; none holds anything but our words and checked values."""
    letter = posted.letter
    own = Own(stationery.address)
    rows = [
        ("To", letter.address),
        ("Subject", letter.subject),
        ("Date", format_datetime(utc(posted.created_at))),
        ("Message-ID", own.message_id(f"{posted.id}.{posted.created_at}")),
        ("Auto-Submitted", "auto-replied" if letter.is_answer else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Loop", stationery.address),
    ]
    thread = [own.message_id(f"{number}.{at}") for number, at in posted.thread]
    if letter.in_reply_to is not None:
        thread.append(letter.in_reply_to)
    while len(" ".join(thread)) > LONGEST_HEADER:
        thread.pop(0)
    if thread:
        rows += [("In-Reply-To", thread[-1]), ("References", " ".join(thread))]
    reply_to = reply_address(letter, stationery)
    if letter.kind is LetterKind.TRIAL:
        rows.append(("Reply-To", _signed_sender(posted, stationery)))
    # What answers a message is not meant for us, but for its writer: it is another message.
    if reply_to is not None and letter.kind not in {LetterKind.BROADCAST, LetterKind.MESSAGE}:
        rows.append(("Reply-To", reply_to))
    words = unsubscribe_command(letter)
    if words is not None and reply_to is not None:
        links = [f"<{mailto(reply_to, words)}>"]
        if stationery.way_out_url:
            asked = urlencode({"from": letter.address, "to": reply_to, "subject": words})
            links.append(f"<{stationery.way_out_url}?{asked}>")
        if len(", ".join(links)) > LONGEST_HEADER:
            links.pop()
        elif stationery.way_out_url:
            # One click is promised only where a page keeps the promise (RFC 8058).
            rows.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
        rows.append(("List-Unsubscribe", ", ".join(links)))
    return rows


def _sender(posted: Posted, stationery: Stationery) -> str:
    """Return our address under the names of those whom the reader plays with or watches."""
    others = " and ".join(posted.others)
    name = f"{others} via {stationery.club}" if others else stationery.club
    if name.isascii():
        return header_value(formataddr((name, stationery.address)))
    if not name.isprintable() or len(name) > LONGEST_NAME:
        raise ValueError("a name of ours is one line of printable characters")
    return f"{Header(name, 'utf-8').encode(linesep='')} <{header_value(stationery.address)}>"


def header_value(text: str) -> str:
    """Return ``text`` if it is one line of printable ASCII; raises :class:`ValueError`."""
    if not HEADER.issuperset(text) or ENCODED_WORD in text or len(text) > LONGEST_HEADER:
        raise ValueError("a header of ours is one line of printable ASCII, with nothing encoded")
    return text


def reply_address(letter: Letter, stationery: Stationery) -> str | None:
    """Return the address that answers the letter without a password, if there is one."""
    if letter.player_id is None or letter.revision is None:
        return None
    if letter.match_id is None:
        claim = address_claim(stationery.keys, letter.player_id, letter.address)
    else:
        claim = TokenScope(letter.match_id, letter.player_id, letter.revision)
    return address_with(stationery.address, make_token(stationery.keys, claim))


def mailto(address: str, subject: str) -> str:
    """Return the URL that opens a mail to ``address`` with this Subject, ready to be sent."""
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='*:')}"


def move_link(address: str, subject: str, move: str) -> str:
    """Return the URL that opens an answer with this move as its first line, in the same thread."""
    return f"{mailto(address, f'Re: {subject}')}&body={quote(move, safe='')}"


def _signed_sender(posted: Posted, stationery: Stationery) -> str:
    """Return where what becomes of the letter is told: its envelope sender."""
    return address_with(stationery.address, make_bounce_token(stationery.keys, posted.id))


def _add_html(message: EmailMessage, posted: Posted, stationery: Stationery, room: float) -> None:
    """Add the letter as a page, with its picture; leave both out if ``room`` bytes are too few.

    Links go before the size of the picture.
    """
    letter, diagram = posted.letter, posted.letter.diagram
    reply_to = reply_address(letter, stationery)
    picture_id = f"board.{posted.id}@{stationery.address.rpartition('@')[2]}"
    room -= AROUND_PARTS
    html = letter_html(
        letter,
        f"cid:{picture_id}" if diagram else None,
        None if reply_to is None else partial(move_link, reply_to, letter.subject),
        room if diagram is None else room - letter.max_bytes // PART_OF_PICTURE,
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
