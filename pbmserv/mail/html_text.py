"""The text of an HTML mail: words and line breaks, quotations marked as in a plain mail."""

import html
import re

MAX_MARKUP = 256 * 1024
MAX_QUOTING = 20

TOKEN = re.compile(r"<!--|<(/?)([a-z][a-z0-9]*+)([^<>]*+)>|<[!?/][^<>]*+>", re.IGNORECASE)
BLANKS = re.compile(r"[ \t\n\r\f]+")
# html.unescape reads numbers of any length, in quadratic time or not at all.
LONG_REFERENCE = re.compile(r"&#(?:x[0-9a-f]{7,}+|[0-9]{8,}+);?", re.IGNORECASE)
UNREAD = frozenset({"script", "style", "title", "head", "template", "svg"})
BREAKING = re.compile(
    r"address|article|aside|blockquote|body|d[dlt]|div|fieldset|footer|form|h[1-6]|header|hr|li|"
    r"main|nav|ol|p|pre|section|table|t[dhr]|ul"
)

QUOTES = re.compile(
    r"""divRplyFwdMsg|appendonsend|yahoo_quoted|protonmail_quote|moz-forward-container"""
    r"""|OutlookMessageHeader|name=["']?quote\b"""
)
"""Marks of the elements in which mail programs quote, often without any other sign."""
ATTRIBUTES = re.compile(r"gmail_attr|moz-cite-prefix")
SIGNS = re.compile(
    r"gmail_signature|moz-signature|AppleMailSignature|ms-outlook-mobile-signature"
    r"|protonmail_signature_block"
)


class _Page:
    """The lines written so far and how deep in quotations the next one stands."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.words: list[str] = []
        self.quoting = 0

    def write(self, source: str) -> None:
        """Add words to the line."""
        if source:
            self.words.append(BLANKS.sub(" ", source))

    def end_line(self, *, keeps_empty: bool = False) -> None:
        """End the line; an empty one counts only where it was asked for."""
        text = html.unescape(LONG_REFERENCE.sub("\ufffd", "".join(self.words)))
        # The signature mark is the one line whose last blank means something.
        line = text.lstrip(" ") if text.strip(" ") == "--" else text.strip(" ")
        self.words.clear()
        if line or keeps_empty:
            self.lines.append("> " * min(self.quoting, MAX_QUOTING) + line)

    def read_tag(self, name: str, *, is_end: bool) -> None:
        """Do what a tag says about lines and quotations."""
        if name == "br":
            self.end_line(keeps_empty=True)
        elif BREAKING.fullmatch(name):
            self.end_line()
        if name == "blockquote":
            self.quoting = max(0, self.quoting + (-1 if is_end else 1))


def text_from_html(source: str) -> str | None:
    """Return the words of an HTML text, line by line; None for more than 256 Ki characters.

    Only line breaks, quotations and signatures are understood. It is meant for reading a comment,
    and makes nothing that would be safe to show as HTML.
    """
    if len(source) > MAX_MARKUP:
        return None
    page = _Page()
    here = 0
    while token := TOKEN.search(source, here):
        page.write(source[here : token.start()])
        here = token.end()
        name = (token.group(2) or "").lower()
        if token.group() == "<!--":
            here = _behind(source, "-->", here)
        elif name in UNREAD and not token.group(1) and not token.group(3).endswith("/"):
            here = _behind_element(source, name, here)
        elif name and not token.group(1) and QUOTES.search(token.group(3)):
            break
        elif name and not token.group(1) and ATTRIBUTES.search(token.group(3)):
            page.end_line()
            here = _behind_element(source, name, here)
        elif name:
            if not token.group(1) and SIGNS.search(token.group(3)):
                page.end_line()
                page.write("--")
                page.end_line()
            page.read_tag(name, is_end=bool(token.group(1)))
    else:
        page.write(source[here:])
    page.end_line()
    return "\n".join(page.lines)


def _behind(source: str, mark: str, here: int) -> int:
    found = source.find(mark, here)
    return len(source) if found < 0 else found + len(mark)


def _behind_element(source: str, name: str, here: int) -> int:
    found = re.compile(rf"</{name}\s*+>", re.IGNORECASE).search(source, here)
    return found.end() if found else len(source)
