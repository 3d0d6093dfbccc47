"""The loop guard: which mails are dropped in silence because no person is waiting for an answer.

Two machines that answer each other never stop. So whatever may have been sent by a machine gets
neither an answer nor an effect. The first test that says so names the reason for the log.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbmserv.mail.inbound import Incoming, Unreadable
from pbmserv.mail.sender import addresses_in

MAX_RECEIVED = 30
MESSAGE_ID_MARK = "pbmserv."

BULK = frozenset({"bulk", "junk", "list"})
RESPONDER_FIELDS = ("x-auto-response-suppress", "x-autoreply", "x-autorespond")
DAEMON = re.compile(
    r"mailer-?daemon|postmaster|daemon|listserv|majordomo|owner-.*|.*-(?:owner|request|bounces?)|"
    r"(?:do-?not-?reply|no-?reply)(?:[.-].*)?|(?:.*[.-])?(?:do-?not-?reply|no-?reply)|bounces?.*",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


@dataclass(frozen=True)
class Own:
    """What is ours: the address that mail for this server goes to, without any token."""

    address: str

    def is_ours(self, address: str) -> bool:
        """Tell whether ``address`` is ours, with or without a token."""
        local, _, domain = address.rpartition("@")
        return f"{local.partition('+')[0]}@{domain}".lower() == self.address.lower()

    def message_id(self, key: str) -> str:
        """Return the Message-ID of the letter that ``key`` names."""
        return f"<{MESSAGE_ID_MARK}{key}@{self.address.rpartition('@')[2]}>"

    def is_own_message_id(self, text: str) -> bool:
        """Tell whether ``text`` is a Message-ID that :meth:`message_id` makes."""
        end = f"@{self.address.rpartition('@')[2]}>".lower()
        return text.lower().startswith(f"<{MESSAGE_ID_MARK}") and text.lower().endswith(end)


Test = Callable[[Incoming, Own], bool]


def reason_to_drop(mail: Incoming | Unreadable, own: Own) -> str | None:
    """Return why ``mail`` is dropped without a word, None when a person may have sent it.

    The reason is the code of an unreadable mail, the first of them its size, or a name of
    :data:`TESTS`; the names are permanent.
    """
    if isinstance(mail, Unreadable):
        return mail.code
    return next((name for name, says_so in TESTS if says_so(mail, own)), None)


def _is_auto_submitted(mail: Incoming, _own: Own) -> bool:
    kinds = [
        re.split(r"[\s;(]", value.strip(), maxsplit=1)[0]
        for value in mail.fields.get("auto-submitted", ())
    ]
    return any(kind.lower() != "no" for kind in kinds)


def _is_bounce(mail: Incoming, _own: Own) -> bool:
    return mail.return_path == ""


def _is_bulk(mail: Incoming, _own: Own) -> bool:
    words = " ".join(mail.fields.get("precedence", ())).lower()
    return not BULK.isdisjoint(re.split(r"[\s,;]+", words))


def _is_from_list(mail: Incoming, _own: Own) -> bool:
    return any(name.startswith("list-") for name in mail.fields)


def _is_report(mail: Incoming, _own: Own) -> bool:
    return mail.media_type == "multipart/report"


def _went_round(mail: Incoming, own: Own) -> bool:
    return any(own.is_ours(address) for address in addresses_in(mail.fields.get("x-loop", ())))


def _is_own_letter(mail: Incoming, own: Own) -> bool:
    return any(own.is_own_message_id(text) for text in mail.fields.get("message-id", ()))


def _is_from_us(mail: Incoming, own: Own) -> bool:
    return any(own.is_ours(address) for address in addresses_in(mail.fields.get("from", ())))


def _is_from_daemon(mail: Incoming, _own: Own) -> bool:
    names = [mail.return_path or ""]
    for value in mail.fields.get("from", ()):
        # A name beside an address is a person's to choose. A bare MAILER-DAEMON without a domain
        # is common where the mail never left the machine.
        names += addresses_in([value]) or [value]
    return any(DAEMON.fullmatch(name.partition("@")[0].partition("+")[0]) for name in names)


def _is_from_responder(mail: Incoming, _own: Own) -> bool:
    return any(mail.fields.get(name, ()) for name in RESPONDER_FIELDS)


def _travelled_too_far(mail: Incoming, _own: Own) -> bool:
    return len(mail.fields.get("received", ())) > MAX_RECEIVED


TESTS: tuple[tuple[str, Test], ...] = (
    ("auto-submitted", _is_auto_submitted),
    ("null-return-path", _is_bounce),
    ("daemon", _is_from_daemon),
    ("precedence", _is_bulk),
    ("list-header", _is_from_list),
    ("report", _is_report),
    ("x-loop", _went_round),
    ("own-message-id", _is_own_letter),
    ("own-address", _is_from_us),
    ("responder", _is_from_responder),
    ("too-many-received", _travelled_too_far),
)
"""Every test by the name that goes to the log, in the order in which they are asked."""
