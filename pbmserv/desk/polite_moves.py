"""Moves as people write them into a mail: ``F6.``, ``(C1)``, ``F6, good luck!``.

A mail that was meant otherwise would cost a game, so nothing is guessed: a cell, pass or swap
comes first, or behind ``My move:``, and behind it stand words of courtesy alone. Whatever else may
follow, another cell or a question among it, the line is left as it is and the grammar asks back.
"""

import re
from collections.abc import Iterable

from pbmserv.phrases import alternatives, words

DRESS = "\"'`*_()[]{}<>.,;:!~ "
CELL = r"(?:(?:[a-z]{1,2}|\*)[0-9]{1,3}|[a-z]\s[0-9]{1,3}|00)"
# "My move", "move" and "I play", with what stands before a cell.
LABELLED = re.compile(
    rf"[\s{re.escape(DRESS)}]*(?:(?:{alternatives('move')}|(?:{alternatives('i')}\s)?"
    rf"{alternatives('play')})(?:\s#?\d{{1,3}})?(?:\s{alternatives('to')})?[*_]*"
    r"(?:\s*[:=-]+[*_]*\s*|\s+)|#?\d{1,3}\s?[.:)]+\s*(?=[a-z*→=-])|(?:[=-]+>|[→⇒➔➡])\s*|#\s?(?=[a-z*]))+",
    re.IGNORECASE,
)
DRESSED = re.compile(
    rf"[\s{re.escape(DRESS)}]*"
    rf"(?P<move>{CELL}(?:\s?\+\s?{CELL})*(?:\s?#\s?[0-9]{{1,4}})?|pass|swap)"
    r"(?P<rest>(?:[^\w+#/]|_).*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
FACES = re.compile(r"[:;=8x][-']?[)dp(]+(?!\w)|<3", re.IGNORECASE)
DOUBTFUL = re.compile(r"[?\d+/#]")
# As ~~F6~~ is, or what stands under a combining stroke.
STRUCK_OUT = re.compile(r"~~|[\u0300-\u036f\u20d0-\u20f0]")
WORDS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
# Words that say nothing about the move; each is allowed wherever it stands.
COURTESY = words("courtesy")
# Words with which a greeting begins, and with which it may go on, besides a name.
HELLO, GREETED = words("hello"), words("greeted")
GREETING = re.compile(r"[^\d?@#+/<>\n]{1,60}")
MAX_NAMES = 3


def read_move(text: str, userids: Iterable[str] = ()) -> str | None:
    """Return the cell, pass or swap that ``text`` is beyond all doubt, None for anything else.

    ``userids`` may be spoken to. ``resign`` and the vote words have no such freedom.

    >>> read_move("F6, good luck!"), read_move('"Pass."'), read_move("My move: A50 + T31")
    ('F6', 'Pass', 'A50+T31')
    >>> read_move("F6 or G7"), read_move("I would not play F6"), read_move("pass?")
    (None, None, None)
    """
    label = LABELLED.match(text)
    dressed = DRESSED.fullmatch(text, label.end() if label else 0)
    if dressed is None or STRUCK_OUT.search(text):
        return None
    rest = FACES.sub(" ", dressed["rest"] or "")
    if DOUBTFUL.search(rest):
        return None
    allowed = COURTESY.union(userid.casefold() for userid in userids)
    if not all(word.casefold().replace("\u2019", "'") in allowed for word in WORDS.findall(rest)):
        return None
    return re.sub(r"\s", "", dressed["move"])


def is_greeting(text: str) -> bool:
    """Tell whether a line greets somebody, and says nothing else.

    >>> is_greeting("Hi Bob,"), is_greeting("Guten Morgen, liebe Anna!"), is_greeting("Hi, no way")
    (True, True, False)
    """
    said = WORDS.findall(text)
    if not said or not GREETING.fullmatch(text) or said[0].casefold() not in HELLO:
        return False
    others = [word for word in said[1:] if word.casefold() not in HELLO | GREETED]
    if len(others) == 1:
        return True
    # Names have capitals, where a script has any.
    return len(others) <= MAX_NAMES and all(word[0] != word[0].lower() for word in others)
