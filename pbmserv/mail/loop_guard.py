"""The loop guard: which mails are dropped in silence because no person is waiting for an answer.

Two machines that answer each other never stop. So whatever may have been sent by a machine gets
neither an answer nor an effect. The first test that says so names the reason for the log.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbmserv.club.player import is_mail_for
from pbmserv.mail.inbound import Incoming, Unreadable
from pbmserv.mail.sender import addresses_in
from pbmserv.phrases import alternatives

# By RFC 3834 a responder marks its mails (Auto-Submitted) and answers none that are marked, have a
# null return path, or came by a list (List-* of RFC 2369 and 2919). Those that mark nothing are
# known by older headers and by their Subject: "Out of office: Re: Star Board 101".

MAX_RECEIVED = 30
MESSAGE_ID_MARK = "pbmserv."

BULK = frozenset({"bulk", "junk", "list"})
RESPONDER_FIELDS = ("x-auto-response-suppress", "x-autoreply", "x-autorespond")
DAEMON = re.compile(alternatives("daemon"), re.IGNORECASE | re.ASCII | re.DOTALL)

# What mail programs and servers of the world write before the Subject that they answer.
ANSWERED = r"(?:re|aw|antw|antwort|sv|vs|vá|r|rif|odp|ynt|fwd?|wg|tr|rv|res)\s?:"
AWAY = rf"(?:{alternatives('i am')}\s(?:\w{{1,10}}\s){{0,2}})?{alternatives('away')}"
AUTOMATIC = re.compile(
    rf"(?:auto(?:m\w*\.?)?[ -]?{alternatives('reply')}|{alternatives('automatic')})"
    rf"|{alternatives('mark')}\s?:"
    rf"|{AWAY}(?:(?: reply| message| response)?\s?[-:\u2013]\s(?!\S+ \S+ (?:\d+|off|until \S+)$)"
    rf"|[^:\n]{{0,60}}?\s{ANSWERED})|(?:auto|ooo)\W{{1,2}}{ANSWERED}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ServerAddress:
    """The address of this server, without any token."""

    address: str

    def is_ours(self, address: str) -> bool:
        """Tell whether ``address`` is ours, with or without a token."""
        return is_mail_for(address, self.address)

    def message_id(self, key: str) -> str:
        """Return the Message-ID of the letter that ``key`` names."""
        return f"<{MESSAGE_ID_MARK}{key}@{self.address.rpartition('@')[2]}>"

    def wrote(self, text: str) -> bool:
        """Tell whether ``text`` is a Message-ID that :meth:`message_id` makes."""
        end = f"@{self.address.rpartition('@')[2]}>".lower()
        return text.lower().startswith(f"<{MESSAGE_ID_MARK}") and text.lower().endswith(end)


Test = Callable[[Incoming, ServerAddress], bool]


def reason_to_drop(mail: Incoming | Unreadable, own: ServerAddress) -> str | None:
    """Return the permanent code for dropping a mail in silence, or None for a person's mail."""
    if isinstance(mail, Unreadable):
        return mail.code
    return next((name for name, says_so in TESTS if says_so(mail, own)), None)


def _is_auto_submitted(mail: Incoming, _own: ServerAddress) -> bool:
    kinds = [
        re.split(r"[\s;(]", value.strip(), maxsplit=1)[0]
        for value in mail.fields.get("auto-submitted", ())
    ]
    return any(kind.lower() != "no" for kind in kinds)


def _is_bulk(mail: Incoming, _own: ServerAddress) -> bool:
    words = " ".join(mail.fields.get("precedence", ())).lower()
    return not BULK.isdisjoint(re.split(r"[\s,;]+", words))


def _names_us(field: str) -> Test:
    return lambda mail, own: any(map(own.is_ours, addresses_in(mail.fields.get(field, ()))))


def _is_from_daemon(mail: Incoming, _own: ServerAddress) -> bool:
    names = [mail.return_path or ""]
    for value in mail.fields.get("from", ()):
        # A name beside an address is a person's to choose. A bare MAILER-DAEMON without a domain
        # is common where the mail never left the machine.
        names += addresses_in([value]) or [value]
    return any(DAEMON.fullmatch(name.partition("@")[0].partition("+")[0]) for name in names)


def _is_automatic(mail: Incoming, _own: ServerAddress) -> bool:
    # A mark is put before the Subject, or behind it.
    marks = re.findall(r"\[([^\[\]]{1,60})\]", mail.before)
    marks += re.findall(r" [\[(]([^\[\]()]{1,60})[\])]$", mail.subject)
    texts = mail.subject.lstrip("(*-<"), *(f"{mark}: " for mark in marks)
    return any(map(AUTOMATIC.match, texts))


TESTS: tuple[tuple[str, Test], ...] = (
    ("auto-submitted", _is_auto_submitted),
    ("null-return-path", lambda mail, _: mail.return_path == ""),
    ("daemon", _is_from_daemon),
    ("precedence", _is_bulk),
    ("list-header", lambda mail, _: any(name.startswith("list-") for name in mail.fields)),
    ("report", lambda mail, _: mail.media_type == "multipart/report"),
    ("x-loop", _names_us("x-loop")),
    ("own-message-id", lambda mail, own: any(map(own.wrote, mail.fields.get("message-id", ())))),
    ("own-address", _names_us("from")),
    ("responder", lambda mail, _: any(mail.fields.get(name) for name in RESPONDER_FIELDS)),
    ("automatic-subject", _is_automatic),
    ("too-many-received", lambda mail, _: len(mail.fields.get("received", ())) > MAX_RECEIVED),
)
"""Every test by the name that goes to the log, in the order in which they are asked."""
