"""Text of a mail made fit for the grammar: one kind of blank, of quote, of dash, nothing unseen."""

import re
import unicodedata

from pbmserv.club.word_forms import DASHES
from pbmserv.club.written_text import UNSEEN
from pbmserv.errors import Misunderstood

MAX_LINE = 500

CONTROLS = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff"
TURNED = re.compile("[\u202d\u202e]")
"""Characters that make programs show letters in another order than they are written."""

BLANKS = re.compile(r"\s+")
NEVER_MEANT = re.compile(rf"[{CONTROLS}{UNSEEN}\u200c\u200d]")
NEVER_MEANT_IN_PROSE = re.compile(f"[{CONTROLS}{UNSEEN}]")

SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u02b9\u02bc\u02c8\u02bb"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e"
STRAIGHT = {
    **dict.fromkeys(map(ord, SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, DASHES), "-"),
    0x2217: "*",
}

# How mail programs of the world say "answer" and "forwarded"; one letter is Outlook's Italian.
REPLY = (
    r"re|res|ref|aw|antw|antwort|sv|vs|vb|vl|vá|r|rif|rv|odp|atb|ynt|ilt|"
    r"fwd|fw|wg|tr|i|enc|doorst|pd|отв|на|回复|答复|转发|回覆|轉寄|返信|転送|답장|전달"
)
PREFIXES = re.compile(
    rf"\s*+(?:(?:(?:{REPLY})\s?(?:[\[(^]?\d{{1,3}}[\])]?)?\s?:|\[[^\[\]]{{0,60}}\]|reminder\s?:|"
    rf"new(?=(?:\s+\S+){{3}}))\s*+)*",
    re.IGNORECASE,
)


def clean_line(text: str) -> str:
    """Return ``text`` as one line: NFKC, straight quotes and dashes, single blanks, no controls.

    Raises :class:`Misunderstood` when more than 500 characters are left: a command is never cut.
    """
    seen = NEVER_MEANT.sub("", BLANKS.sub(" ", text)).translate(STRAIGHT)
    plain = unicodedata.normalize("NFKC", seen).translate(STRAIGHT)
    line = BLANKS.sub(" ", plain).strip()
    if len(line) > MAX_LINE:
        raise Misunderstood(
            "The command is too long.",
            code="line-too-long",
            hint=f"A command has at most {MAX_LINE} characters.",
        )
    return line


def cut_prefixes(line: str) -> str:
    """Return a clean line from a Subject without what mail programs put before it.

    Marks of answers (``Re:``, ``AW[2]:``, ...), ``[tags]`` and our own ``New`` and ``Reminder:``
    are cut as often as they occur.
    """
    return PREFIXES.sub("", line, count=1)


def clean_prose(text: str) -> str:
    """Return ``text`` without controls and invisible characters, its lines and words untouched."""
    return NEVER_MEANT_IN_PROSE.sub("", text)
