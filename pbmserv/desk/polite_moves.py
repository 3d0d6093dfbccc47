"""Moves as people write them into a mail: ``F6.``, ``(C1)``, ``F6, good luck!``.

A mail that was meant otherwise would cost a game, so nothing is guessed: a cell, pass or swap
comes first, and behind it stand words of courtesy alone. Whatever else may follow, another cell or
a question among it, the line is left as it is and the grammar asks back.
"""

# ruff: noqa: RUF001 - words of many languages and scripts

import re
from collections.abc import Iterable

DRESS = "\"'`*_()[]{}<>.,;:!~ "
CELL = r"(?:(?:[a-z]{1,2}|\*)[0-9]{1,3}|00)"
DRESSED = re.compile(
    rf"[\s{re.escape(DRESS)}]*"
    rf"(?P<move>{CELL}(?:\s?\+\s?{CELL})*(?:\s?#\s?[0-9]{{1,4}})?|pass|swap)"
    r"(?P<rest>[^\w+#/].*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
FACES = re.compile(r"[:;=8x][-']?[)dp(]+(?!\w)|<3", re.IGNORECASE)
DOUBTFUL = re.compile(r"[?\d+/#]")
WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

COURTESY = frozenset(
    {
        *("a", "and", "best", "board", "bye", "cheers", "day", "dear", "enjoy", "for", "fun"),
        *("game", "games", "gg", "gl", "glhf", "good", "great", "greetings", "have", "hello", "hf"),
        *("hi", "kind", "luck", "many", "move", "my"),
        *("nice", "of", "our", "please", "pls", "regards", "sorry", "thank", "thanks"),
        *("the", "thx", "to", "turn", "week", "weekend", "well", "wishes", "you"),
        *("your", "yours", "viel", "glück", "spaß", "spass", "danke", "bitte", "gruß", "grüße"),
        *("gruss", "lg", "vg", "dein", "zug", "schönes", "spiel", "bonne", "chance", "merci"),
        *("partie", "cordialement", "amicalement", "salutations", "buena", "suerte", "gracias"),
        *("saludos", "boa", "sorte", "obrigado", "obrigada", "abraço", "buona", "fortuna"),
        *("grazie", "saluti", "ciao", "veel", "succes", "geluk", "bedankt", "groeten", "groetjes"),
        *("lycka", "till", "tack", "hälsningar", "held", "lykke", "tak", "takk", "hilsen"),
        *("onnea", "kiitos", "powodzenia", "dzięki", "pozdrawiam", "hodně", "štěstí", "díky"),
        *("удачи", "спасибо", "привет", "удачі", "дякую"),
    }
)
"""Words that say nothing about the move; each is allowed wherever it stands."""


def plain_move(text: str, userids: Iterable[str] = ()) -> str | None:
    """Return the cell, pass or swap that ``text`` is beyond all doubt, None for anything else.

    ``userids`` may be spoken to. ``resign`` and the vote words have no such freedom.

    >>> plain_move("F6, good luck!"), plain_move('"Pass."'), plain_move("A50 + T31")
    ('F6', 'Pass', 'A50+T31')
    >>> plain_move("F6 or G7"), plain_move("I would not play F6"), plain_move("pass?")
    (None, None, None)
    """
    dressed = DRESSED.fullmatch(text)
    if dressed is None:
        return None
    rest = FACES.sub(" ", dressed["rest"] or "")
    if DOUBTFUL.search(rest):
        return None
    allowed = COURTESY.union(userid.casefold() for userid in userids)
    if not all(word.casefold().replace("’", "'") in allowed for word in WORDS.findall(rest)):
        return None
    return re.sub(r"\s", "", dressed["move"])
