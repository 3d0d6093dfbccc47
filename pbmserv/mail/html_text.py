"""The text of an HTML mail: what its reader sees, with quotations marked as in a plain mail.

What builds a browser's tree mends broken markup in silence, and of some in quadratic time. Here it
is not mended but noticed: what is struck out, and whatever one program shows and another hides,
leaves the mark ``IN_DOUBT``, and no move is read behind it.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass

from pbmserv.mail.quoting import DATE_OR_ADDRESS
from pbmserv.mail.visibility import (
    Attributes,
    StyleSheets,
    Visibility,
    name_set,
    resets,
    sheets_in,
    sight,
)

MAX_MARKUP = 256 * 1024
MAX_QUOTING = 20
IN_DOUBT = "\ufdd0"
"""Stands in a text where something was struck out, or may be hidden; it is no character."""

TOKEN = re.compile(r"<!--|<(/?)([a-z][^\s/>]*+)|<[!?/][^>]*+>?", re.IGNORECASE)
ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(?!["'])([^\s>]*+))|(?!\s*+=))"""
)
TAG_END = re.compile(r"[\s/]*+>")
COMMENT_END = re.compile(r"--!?>")
BLANKS = re.compile(r"[ \t\n\r\f]+")
# html.unescape reads numbers of any length, in quadratic time or not at all.
LONG_REFERENCE = re.compile(r"&#(?:x[0-9a-f]{7,}+|[0-9]{8,}+);?", re.IGNORECASE)

VOID = name_set(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr"
)
RAW = name_set("iframe noembed noframes noscript script style textarea title xmp")
"""Elements in which nothing but their own end is markup."""

BLOCKS = name_set(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main "
    "menu nav ol p pre search section summary table tbody td tfoot th thead tr ul xmp"
)
HEADINGS = name_set("h1 h2 h3 h4 h5 h6")
IN_TABLES = name_set("caption col colgroup table tbody td tfoot th thead tr")
ROWS = name_set("colgroup table tbody tfoot thead tr")
ALONE = name_set("a button form nobr option optgroup select")
LISTED = name_set("dd dt li")
ENDED_BY_OTHERS = name_set("dd dt li optgroup option p")
"""Elements whose own end may be left out at the end of a block around them."""

QUOTES = re.compile(
    r"""yahoo_quoted|protonmail_quote|tutanota_quote|fairemail_quote|zmail_extra|\bisReplyContent"""
    r"""|moz-forward-container|mail-editor-reference-message-container|OLK_SRC_BODY_SECTION"""
    r"""|name=["']?quote\b"""
)
"""Marks of the elements that hold a quotation, often without any other sign."""
LAST = re.compile(
    r"divRplyFwdMsg|OutlookMessageHeader|stopSpelling"
    r"|border-top:\s*solid\s+#(?:E1E1E1|B5C4DF)\s+1\.0pt",
    re.IGNORECASE,
)
"""Marks of what stands above a quotation that goes to the end."""
ATTRIBUTIONS = re.compile(
    r"gmail_attr|gmail_quote_attribution|moz-cite-prefix|reply-intro|OutlookAttribution"
)
APPENDED = "appendonsend"
"""Mark of an empty element of Outlook's above a quotation; some write their answer into it."""
SIGNS = re.compile(
    r"gmail_signature|moz-signature|AppleMailSignature|ms-outlook-mobile-signature"
    r"|protonmail_signature_block|messageSignatureSection|k9mail-signature|fairemail_signature"
)


@dataclass(frozen=True)
class _Open:
    """An element that is open: whether what is in it is seen, and what it is to a mail."""

    name: str
    sight: Visibility = Visibility.SEEN
    role: str = ""
    begins: int = 0
    """The number of lines above it."""


class _Page:
    """The lines written so far, and which elements are open around the next word."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.sheets: StyleSheets = sheets_in(source)
        self.lines: list[str] = []
        self.words: list[str] = []
        self.open: list[_Open] = []
        self.names: Counter[str] = Counter()
        self.quoting = 0
        self.is_over = False

    @property
    def sight(self) -> Visibility:
        return self.open[-1].sight if self.open else Visibility.SEEN

    def write(self, source: str) -> None:
        # Words between the rows of a table are shown above it.
        is_displaced = bool(self.open) and self.open[-1].name in ROWS
        if self.sight is Visibility.DOUBTFUL or (
            is_displaced and self.sight is not Visibility.QUOTED
        ):
            self.words += IN_DOUBT if source.replace("&nbsp;", " ").strip() else ""
        if self.sight is Visibility.SEEN:
            self.words.append(BLANKS.sub(" ", source))

    def doubt(self) -> None:
        """Note that what follows may stand behind something that was not meant, or not seen."""
        self.words.append(IN_DOUBT)

    def end_line(self, *, keeps_empty: bool = False) -> None:
        """End the line; an empty one counts only where it was asked for."""
        line = html.unescape(LONG_REFERENCE.sub("\ufffd", "".join(self.words))).strip(" ")
        self.words.clear()
        if line or (keeps_empty and self.sight is Visibility.SEEN):
            self.lines.append("> " * min(self.quoting, MAX_QUOTING) + line)

    def start(self, name: str, attributes: Attributes, raw: str) -> None:
        """Do what a start tag says; ``raw`` is the tag as it is written."""
        if name in BLOCKS or name == "br":
            self.end_line(keeps_empty=name == "br")
        here, around = sight(name, attributes, self.sheets), self.sight
        is_ignored = self._is_ignored(name)
        if here is not Visibility.SEEN:
            self._doubt_start(name, is_ignored=is_ignored or raw.endswith("/>"))
        if around in {Visibility.HIDDEN, Visibility.DOUBTFUL} and (
            resets(attributes) or self._may_end_another(name)
        ):
            self.doubt()
        if name in VOID or is_ignored:
            return
        role = _role(name, attributes, raw)
        if role == "last":
            self.is_over = True
            return
        if role in {"sign", "attribution"}:
            self.end_line()
        if role == "sign":
            self.lines.append("> " * min(self.quoting, MAX_QUOTING) + "--")
        if role == "quote":
            here = Visibility.QUOTED
        self.quoting += name == "blockquote"
        self.open.append(_Open(name, max(here, around), role, len(self.lines)))
        self.names[name] += 1

    def _is_ignored(self, name: str) -> bool:
        """Tell whether a browser ignores a start tag where it stands."""
        if name == "form":
            return self.names["form"] > 0
        return name in IN_TABLES and name != "table" and not self.names["table"]

    def _doubt_start(self, name: str, *, is_ignored: bool) -> None:
        """Note what may be seen though it stands in an element that hides it."""
        if name in {"html", "body"}:
            self.lines.insert(0, IN_DOUBT)  # it may stand below what it hides
        if is_ignored or name == "form":  # of which the one in a table is empty
            self.doubt()

    def end(self, name: str) -> None:
        """Do what an end tag says; one without its start says nothing but of lines."""
        if name in BLOCKS or name == "br":
            self.end_line(keeps_empty=name == "br")
        if not self.names[name] or name in {"html", "body"}:
            others = HEADINGS if name in HEADINGS else ()
            if self.sight is Visibility.HIDDEN and any(self.names[other] for other in others):
                self.doubt()  # any end of a heading ends it
            return
        before, skipped = self.sight, False
        ends_others = name in BLOCKS or name in {"datalist", "select"}
        while (last := self._close()).name != name:
            skipped = skipped or not (ends_others and last.name in ENDED_BY_OTHERS)
        if skipped and max(before, self.sight) is not Visibility.SEEN:
            self.doubt()

    def _close(self) -> _Open:
        """Close the innermost element, and do what it was open for."""
        last = self.open.pop()
        self.names[last.name] -= 1
        self.quoting -= last.name == "blockquote"
        if last.role == "attribution":
            self.end_line()
            self._cut_attribution(last.begins)
        if last.role == "appended":
            self.end_line()
            self.is_over = True
        return last

    def _cut_attribution(self, begins: int) -> None:
        """Cut the last line above a quotation, which says who wrote it; others are the sender's."""
        while len(self.lines) > begins and not self.lines[-1].strip():
            self.lines.pop()
        last = self.lines[-1] if len(self.lines) > begins else ""
        if last.rstrip().endswith((":", "\uff1a")) or DATE_OR_ADDRESS.search(last):
            self.lines.pop()

    def _may_end_another(self, name: str) -> bool:
        """Tell whether a browser may take the start tag for the end of something that is open."""
        innermost = self.open[-1].name
        if innermost in ROWS and name not in IN_TABLES | {"script", "style", "template"}:
            return True  # it is shown above the table
        others = {"p"} if name in BLOCKS else set()
        for group in (HEADINGS, LISTED, IN_TABLES):
            others |= group if name in group else set()
        others |= {name} if name in ALONE else set()
        if name in {"input", "keygen", "textarea"}:
            others.add("select")
        return any(self.names[other] for other in others)


def text_from_html(source: str) -> str | None:
    """Return the words of an HTML text, line by line; None for more than 256 Ki characters.

    What a reader does not see is left out; ``IN_DOUBT`` stands where something was struck out or
    may not be seen. It is meant for reading a comment, and makes nothing that would be safe to show
    as HTML.
    """
    if len(source) > MAX_MARKUP:
        return None
    page = _Page(source)
    here = 0
    while not page.is_over and (token := TOKEN.search(source, here)):
        page.write(source[here : token.start()])
        here = token.end()
        name = (token[2] or "").lower()
        if token[0] == "<!--":
            here = _behind_comment(page, here)
        elif not name:
            if token[0].lower().startswith("<![if"):
                page.doubt()  # Outlook may hide it
        else:
            here = _behind_tag(page, name, token.start(), here, is_end=bool(token[1]))
    if not page.is_over:
        page.write(source[here:])
    page.end_line()
    return "\n".join(page.lines)


def _behind_comment(page: _Page, here: int) -> int:
    """Return where the comment ends that begins before ``here``."""
    if page.source.startswith((">", "->"), here):
        return page.source.index(">", here) + 1
    found = COMMENT_END.search(page.source, here)
    end = found.end() if found else len(page.source)
    if page.source.startswith("[if", here) and page.source.endswith("<!-->", here, end):
        page.doubt()  # what follows is hidden from Outlook alone
    return end


def _behind_tag(page: _Page, name: str, begins: int, here: int, *, is_end: bool) -> int:
    """Do what a tag says; return where what follows it begins."""
    source = page.source
    attributes: dict[str, str] = {}
    while found := ATTRIBUTE.match(source, here):
        value = found[2] or found[3] or found[4] or ""
        attributes.setdefault(found[1].lower(), value)
        here = found.end()
    closed = TAG_END.match(source, here)
    if closed is None:
        page.doubt()  # a quotation mark that nothing closes takes in all that follows
        return len(source)
    here = closed.end()
    if is_end:
        page.end(name)
        return here
    page.start(name, attributes, source[begins:here])
    if name not in RAW or page.is_over:
        return here
    found_end = re.compile(rf"</{name}(?=[\s/>])[^>]*+>", re.IGNORECASE).search(source, here)
    content = source[here : found_end.start() if found_end else len(source)]
    if page.sight is Visibility.DOUBTFUL or (name == "script" and "<!--" in content):
        page.doubt()
    page.end(name)
    return found_end.end() if found_end else len(source)


def _role(name: str, attributes: Attributes, raw: str) -> str:
    if not attributes:
        return ""
    if QUOTES.search(raw) and name != "body":
        return "quote"
    if LAST.search(raw):
        return "last"
    if ATTRIBUTIONS.search(raw):
        return "attribution"
    if APPENDED in raw:
        return "appended"
    return "sign" if SIGNS.search(raw) else ""
