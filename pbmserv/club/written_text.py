"""Texts that people write: their characters, how they are escaped and wrapped, and mark-up."""

import re

from pbmserv.errors import Refused

LINE_END = r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]"
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
"""What no stored text has: all control characters but tabs and the ends of lines."""

UNSEEN = (
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
"""Characters that show nothing by themselves. The joiners U+200C and U+200D are not among them:
they belong to letters of some scripts and to pictographs."""

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal or a browser would obey instead of showing them."""

TOGETHER = r"(?:(?<=\b[XO]:)|(?<=\bby)|(?<=\bmove)) (?=[-+]?\d)|(?<=\d) (?=%)"
"""A blank between a number and its name or unit: ``O: 4``, ``61 %``."""
UNBROKEN = "\N{NO-BREAK SPACE}"

WIDTH = 78
"""Columns of all text for people; pictures fit it, only their legends are wrapped."""

QUOTABLE = WIDTH - 2
"""Columns of text on a game, which so fits with a mark of quotation before it."""


_GAP = r"(?:[-=\\]?\s+(?:[>|]\s*)*)?"
_LETTER = "[a-z2-7]"
TOKEN = (
    rf"(?i)(?:\+|(?:%(?:25)*|=)2b|&#43;){_GAP}(?:c{_GAP}[e-l]{_GAP}{_LETTER}{_GAP}[aq]{_GAP}[ab]"
    rf"(?:{_GAP}{_LETTER}){{34,40}}|{_LETTER}{{39,}})|c[e-l]{_LETTER}[aq][ab]{_LETTER}{{34,40}}"
)
"""What a signed address has before the @ (``mail/tokens.py``), also broken over lines.

A small number at its beginning, four bytes long, tells it from any other words.
"""
ENCODED = (
    r"(?i)(?:%|=|\\x|\\u00|&#x0*)([2-7][0-9a-f])(?<!7f);?"
    r"|&#0*(3[2-9]|[4-9]\d|1[01]\d|12[0-6]);|&(?:amp|(plus));"
)
CUT = "Removed from your text: a reply address of this server. Others could use it to play for you."
"""The warning to an author who wrote a token to others."""
HIDDEN = rf"[{UNSEEN}\u034f\u200c\u200d\ufe00-\ufe0f]"
"""Characters that may be hidden within a token."""
WIDE = {code + 0xFEE0: code for code in range(0x21, 0x7F)} | {0xFE62: "+", 0x207A: "+"}

MARKED = r"(\n*)(#{1,2}) "
AS_IT_STANDS = r"(?m)^[ <>+]"
"""The beginning of a heading, and of a line in a table, a mail or a legend, which is kept."""


class Paragraph(str):
    """A block that may be wrapped."""

    __slots__ = ()


class Heading(str):
    """The heading of a chapter."""

    __slots__ = ()


class Subheading(Heading):
    """The heading of a part of a chapter."""

    __slots__ = ()


def parse_page(text: str) -> tuple[str, ...]:
    """Return the blocks of a page in the mark-up of ``help/*.txt``, described in CONTRIBUTING.md.

    Joined by empty lines they are the page without its marks.
    """
    return tuple(map(_block, text.strip("\n").split("\n\n")))


def _block(text: str) -> str:
    marked = re.match(MARKED, text)
    if marked is not None:
        kind = Heading if marked[2] == "#" else Subheading
        return kind(marked[1] + text[marked.end() :])
    return text if re.search(AS_IT_STANDS, text) else Paragraph(text)


def unwrap_block(text: str) -> str:
    """Return a block of a page, in one line unless its lines are kept."""
    return " ".join(text.split()) if isinstance(text, Paragraph | Heading) else text


def decoded(text: str) -> str:
    """Return a text of the shell decoded as UTF-8 in any locale; raises :class:`Refused`."""
    try:
        return text.encode(errors="surrogateescape").decode()
    except UnicodeError:
        raise Refused(
            "The text is not UTF-8.",
            code="not-text",
            hint="Nothing was changed. Write it again, or convert it with: iconv -t UTF-8",
        ) from None


def clean(text: str) -> str:
    """Return a text without tokens and unseen characters, with plain blanks."""
    lines = re.split(LINE_END, text.replace("\t", "    "))
    kept = [re.sub(f"{CONTROL}|[{UNSEEN}]", "", line) for line in lines]
    lines = [re.sub(r"\s", " ", line).rstrip() for line in kept]
    return without_tokens("\n".join(lines).strip("\n"))


def without_tokens(text: str) -> str:
    """Return a text without the tokens with which others could act in its author's name."""
    kept = plain = re.sub(TOKEN, "", text)
    for _ in range(4):  # several programs may have encoded it, one after the other
        plain = re.sub(ENCODED, _decoded, re.sub(HIDDEN, "", plain).translate(WIDE))
    return re.sub(TOKEN, "", plain) if re.search(TOKEN, plain) else kept


def _decoded(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2] or 0)
    return chr(code) if code else "+" if found[3] else "&"


def parse_written(text: str) -> str:
    """Return a text cleaned for storage; raises :class:`Refused` for control characters."""
    # Unseen characters are only left out, because many programs add them unasked.
    text = decoded(text)
    if re.search(CONTROL, re.sub(LINE_END, "\n", text)):
        raise Refused(
            "The text contains a control character.",
            code="control-character",
            hint="Nothing was changed. Use letters, signs, tabs and line breaks only.",
        )
    return clean(text)


def escape_controls(text: str) -> str:
    """Return a text for people, with a replacement for each character that would be obeyed."""
    return OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)


def escape_html(text: str) -> str:
    """Return the same text escaped for HTML and XML."""
    from html import escape  # with all its entities, which a shell has no use for

    return escape(escape_controls(text))


def in_json(text: str) -> str:
    """Return a JSON document with an escape for each such character in its strings."""
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def wrap_line(line: str, width: int, indent: str = "", *, breaks_words: bool = True) -> list[str]:
    """Return a line wrapped to this width, without breaks between numbers and their names."""
    import textwrap

    joined = re.sub(TOGETHER, UNBROKEN, line, flags=re.ASCII)
    lines = textwrap.wrap(
        joined,
        width,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=breaks_words,
    )
    return [part.replace(UNBROKEN, " ") for part in lines] or [""]
