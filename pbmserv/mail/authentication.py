"""Authentication-Results of our own mail server about a mail's sender (RFC 8601)."""

import ipaddress
import re
from collections.abc import Collection, Sequence

# Our mail server writes its findings above all others, which may have come with the mail (RFC 8601,
# section 5); only the topmost header with its authserv-id counts:
#     Authentication-Results: mx.example.org; dmarc=pass header.from=example.com
# Quotes and comments in an address of the sender's choice could hide or add a result, so a header
# that is not read without doubt is no proof.

TOKEN = re.compile(r"""[^\s()";=]++|=|;|"(?:[^"\\]++|\\.)*"|\s++""")
OUTSIDE_COMMENT = re.compile(r'\(|[^"\\()]++|"(?:[^"\\]++|\\.)*"')
INSIDE_COMMENT = re.compile(r"[()]|[^\\()]++|\\.")
BRACKETED = re.compile(r"\[(?:IPv6:)?([0-9A-Fa-f:.]{2,45})\]")
GREETING = re.compile(r"\bhelo=\S+", re.IGNORECASE)
DMARC = re.compile(r"\bdmarc\s*+=", re.IGNORECASE)
QUOTES = re.compile(r'["\\]')
WRITER = re.compile(r"\s*([A-Za-z0-9.-]{1,253})\s*(?:[0-9]\s*)?;")
PROPERTIES = {"dkim": ("header.d", "header.i"), "spf": ("smtp.mailfrom",)}
"""The properties that name the domain in the results of each method."""

OTHER_THAN_PASS = re.compile(r"\bdmarc\s*+=\s*+(?!pass\b)", re.IGNORECASE)


def passes_dmarc(results: Sequence[str], server: str, sender: str | None) -> bool:
    """Tell whether the topmost Authentication-Results of ``server`` say ``dmarc=pass``.

    ``results`` are the values of all such headers, topmost first: the lower ones may have come
    with the mail. The result must be about the domain of ``sender`` and be the only one of its
    kind. Neither its header nor any above it may leave a doubt how it is to be read.
    """
    found = _ours(results, server)
    if sender is None or found is None:
        return False
    return _says_pass(*found, sender.rpartition("@")[2].lower())


def is_authenticated(results: Sequence[str], server: str, sender: str | None) -> bool:
    """Tell whether ``server`` found that the domain of ``sender`` has really sent the mail.

    That is ``dmarc=pass``. Without a word on DMARC it is a signature (DKIM) or an envelope sender
    (SPF) of that domain or one above it, where no other result of the same kind differs.
    """
    found = _ours(results, server)
    if sender is None or found is None:
        return False
    text, groups = found
    domain = sender.rpartition("@")[2].lower()
    if _says_pass(text, groups, domain):
        return True
    if DMARC.search(text) or QUOTES.search(text):
        return False
    return any(_is_aligned(groups, method, domain) for method in PROPERTIES)


def writer_of(results: Sequence[str]) -> str | None:
    """Return the authserv-id of the topmost Authentication-Results, if it is a plain name."""
    found = WRITER.match(results[0]) if results else None
    return found[1] if found else None


def sending_net(received: Sequence[str], server: str) -> str:
    """Return the net that handed the mail to ``server``: ``192.0.2.0/24`` or ``2001:db8::/48``.

    ``received`` are all such headers, topmost first. Only the topmost counts, for the others may
    have come with the mail; "" where it is not by ``server`` or names no address.
    """
    if not server or not received:
        return ""
    found = re.match(
        rf"\s*from\s(.*)\sby\s+{re.escape(server)}(?:[\s(;]|\s*$)",
        received[0],
        re.IGNORECASE | re.DOTALL,
    )
    # What a client calls itself may look like an address too; Exim writes it last, others first.
    told = BRACKETED.findall(GREETING.sub("", found[1])) if found else []
    try:
        address = ipaddress.ip_address(told[-1]) if told else None
    except ValueError:
        address = None
    if address is None:
        return ""
    width = 24 if address.version == 4 else 48
    return str(ipaddress.ip_network(f"{address}/{width}", strict=False))


def _ours(results: Sequence[str], server: str) -> tuple[str, list[list[str]]] | None:
    """Return the topmost header by ``server`` and its results, or None if it is doubtful."""
    if not server:
        return None
    for text in results:
        groups = _read(text)
        if groups is None or not groups[0] or groups[0][0].startswith('"'):
            # Perhaps ours, spoilt by an address that the sender chose; the next may be theirs.
            return None
        if groups[0][0] == server.lower():
            return text, groups[1:]
    return None


def _is_aligned(groups: Sequence[Sequence[str]], method: str, domain: str) -> bool:
    """Tell whether all results of the method are passed, and one is about the domain."""
    verdicts = _verdicts(groups, method)
    if any(verdict[2:3] != ["pass"] for verdict in verdicts):
        return False
    values = [value for verdict in verdicts for value in _values(verdict, PROPERTIES[method])]
    named = [value.rpartition("@")[2] for value in values]
    return any(name == domain or ("." in name and domain.endswith(f".{name}")) for name in named)


def _verdicts(groups: Sequence[Sequence[str]], method: str) -> list[Sequence[str]]:
    return [group for group in groups if group[:2] == [method, "="]]


def _values(verdict: Sequence[str], names: Collection[str]) -> list[str]:
    """Return what a result says of the properties with these names."""
    triples = zip(verdict, verdict[1:], verdict[2:], strict=False)
    return [value for name, equals, value in triples if name in names and equals == "="]


def _says_pass(text: str, groups: Sequence[Sequence[str]], domain: str) -> bool:
    """Tell whether a header, read into groups, says ``dmarc=pass`` once, and of this domain."""
    # A quote or bracket in an address that the sender chose can also hide the result behind it.
    if OTHER_THAN_PASS.search(text):
        return False
    verdicts = _verdicts(groups, "dmarc")
    if [verdict[2:3] for verdict in verdicts] != [["pass"]]:
        return False
    domains = _values(verdicts[0], {"header.from"})
    return domains == [domain]


def _read(text: str) -> list[list[str]] | None:
    """Return the words between a header's semicolons, in lower case, or None if it is unclear."""
    plain = _without_comments(text)
    if plain is None:
        return None
    groups: list[list[str]] = [[]]
    here = 0
    while here < len(plain):
        token = TOKEN.match(plain, here)
        if token is None:
            return None
        here = token.end()
        word = token.group().lower()
        if word == ";":
            groups.append([])
        elif not word.isspace():
            groups[-1].append(word)
    return groups


def _without_comments(text: str) -> str | None:
    """Return ``text`` with a blank for each comment, or None if one is not closed."""
    kept: list[str] = []
    depth = 0
    here = 0
    while here < len(text):
        piece = (INSIDE_COMMENT if depth else OUTSIDE_COMMENT).match(text, here)
        if piece is None:
            return None
        here = piece.end()
        depth += {"(": 1, ")": -1}.get(piece.group(), 0)
        if depth == 0:
            kept.append(" " if piece.group() == ")" else piece.group())
    return "".join(kept) if depth == 0 else None
