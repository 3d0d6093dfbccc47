"""What our own mail server found out about a mail's sender (RFC 8601)."""

import re
from collections.abc import Sequence

TOKEN = re.compile(r"""[^\s()";=]++|=|;|"(?:[^"\\]|\\.)*+"|\s++""")
OUTSIDE_COMMENT = re.compile(r'\(|[^"\\()]++|"(?:[^"\\]|\\.)*+"')
INSIDE_COMMENT = re.compile(r"[()]|[^\\()]++|\\.")
OTHER_THAN_PASS = re.compile(r"\bdmarc\s*+=\s*+(?!pass\b)", re.IGNORECASE)


def passes_dmarc(results: Sequence[str], server: str, sender: str | None) -> bool:
    """Tell whether the topmost Authentication-Results of ``server`` say ``dmarc=pass``.

    ``results`` are the values of all such headers, topmost first: the lower ones may have come
    with the mail. The result must be about the domain of ``sender`` and be the only one of its
    kind. Neither its header nor any above it may leave a doubt how it is to be read.
    """
    if sender is None or not server:
        return False
    for text in results:
        groups = _read(text)
        if groups is None or not groups[0] or groups[0][0].startswith('"'):
            # Perhaps ours, spoilt by an address that the sender chose; the next may be theirs.
            return False
        if groups[0][0].lower() == server.lower():
            # A quote or bracket in such an address can also hide the result behind it.
            is_hidden = OTHER_THAN_PASS.search(text) is not None
            return not is_hidden and _says_pass(groups[1:], sender.rpartition("@")[2].lower())
    return False


def _says_pass(groups: Sequence[Sequence[str]], domain: str) -> bool:
    about = [[word.lower() for word in group] for group in groups]
    verdicts = [group for group in about if group[:2] == ["dmarc", "="]]
    if len(verdicts) != 1 or verdicts[0][2:3] != ["pass"]:
        return False
    verdict = verdicts[0]
    domains = [
        verdict[n + 2]
        for n in range(len(verdict) - 2)
        if verdict[n : n + 2] == ["header.from", "="]
    ]
    return domains == [domain]


def _read(text: str) -> list[list[str]] | None:
    """Return the words of a header in the groups between semicolons, None where it is not clear."""
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
        word = token.group()
        if word == ";":
            groups.append([])
        elif not word.isspace():
            groups[-1].append(word)
    return groups


def _without_comments(text: str) -> str | None:
    """Return ``text`` with a blank for each comment, None where one is not closed."""
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
