"""The sender a mail names, by a grammar so strict that no two readers can differ (RFC 5322)."""

import re
from collections.abc import Sequence

from pbmserv.club.player import ADDRESS, parse_address
from pbmserv.errors import Misunderstood
from pbmserv.mail.charsets import decode_words

MAX_ADDRESSES = 100

ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]++"
QUOTED = r'"(?:[^"\\\x00-\x1f\x7f]++|\\[ -~])*"'
WORD = rf"(?:{ATOM}|\.|{QUOTED})"
MAILBOX = re.compile(
    rf"(?P<phrase>(?:{WORD}[ \t]*+)*)<(?P<inside>[^<>\s]++)>"
    r"|(?P<bare>[^<>()\s]++)(?:[ \t]++\((?P<comment>[^()<>\\\x00-\x1f\x7f]*+)\))?",
    re.ASCII,
)
WRITTEN_ADDRESS = re.compile(rf"(?<![A-Za-z0-9.+_@-]){ADDRESS}", re.ASCII)
# "Alice @ Home" is a name; "alice @ example.org" is no better than the address itself.
MISLEADING = re.compile(r"[<>\x00-\x1f\x7f]|=\?|\S@|@\S|@\s+\S+\.\S")


def sender_address(from_values: Sequence[str]) -> str | None:
    """Return the one address in the one From header, or None if there is any doubt.

    Anything but one header with one address is refused. So are groups, quoted local parts, address
    literals, blanks or characters beyond ASCII inside the address, and comments but for a name in
    brackets behind it: ``alice@example.org (Alice)``. So is a name, encoded or not, that shows an
    address other than the real one.
    """
    if len(from_values) != 1:
        return None
    mailbox = MAILBOX.fullmatch(from_values[0].strip(" \t"))
    if mailbox is None:
        return None
    try:
        address = parse_address(mailbox.group("inside") or mailbox.group("bare"))
    except Misunderstood:
        return None
    phrase = mailbox.group("phrase") or mailbox.group("comment") or ""
    return None if _misleads(phrase, address) else address


def addresses_in(header_values: Sequence[str]) -> tuple[str, ...]:
    """Return everything in these headers that looks like an address, at most 100, each once.

    Good enough to look for ourselves in; nobody acts by an address read like this.
    """
    found: dict[str, None] = {}
    for text in header_values:
        for address in WRITTEN_ADDRESS.finditer(text):
            found[address.group()] = None
            if len(found) >= MAX_ADDRESSES:
                return tuple(found)
    return tuple(found)


def _misleads(phrase: str, address: str) -> bool:
    plain = re.sub(r"\\(.)", r"\1", phrase.replace('"', ""))
    shown = decode_words(plain).strip()
    return shown.casefold() != address.casefold() and MISLEADING.search(f" {shown} ") is not None
