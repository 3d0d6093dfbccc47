"""What is done to words that are not understood: each function returns others to be tried."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from pbmserv.club.player import ME
from pbmserv.club.selectors import SELECTORS
from pbmserv.club.word_forms import BETWEEN
from pbmserv.commands.said import (
    BOARD,
    CELL,
    FILLERS,
    KEPT_APART,
    LEAST_DIGITS,
    board_among,
    by_word,
    option_meant,
    plain,
)
from pbmserv.commands.slots import Kind, Term
from pbmserv.engine.games import game_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pbmserv.commands.grammar import Verb
    from pbmserv.commands.words import OptionName

    Words = Sequence[str]
    Order = Callable[[Verb, Words], list[str]]

SIGNS = "[](){}<>\"'`.,;!?$=|&"
APART = re.compile(r"[,;/&|]+")
PARTING = frozenset({"&&", "&", ";", "|", "||", ">", ">>", "and", "then", "/", "+"})
"""What parts two commands of one line."""

NOISE = (
    BETWEEN
    | FILLERS
    | frozenset(
        """
        account as between board boards in day days game games match matches no nr number player
        thank thanks then user using
        """.split()  # noqa: SIM905 - a list to read
    )
)
"""What may be left out of a line that is not understood with it."""

TURN = re.compile(rf"{CELL.pattern}(?:\+{CELL.pattern})*(?:#[0-9]+)?", re.ASCII)
MADE = frozenset("at black cell move o on place play played put stone white".split())  # noqa: SIM905
"""What people say before a cell."""

NAMED_WORDS = frozenset(
    """
    against board cell game id login move name number opponent p pass password player pw u user
    userid username with
    """.split()  # noqa: SIM905 - a list to read
)
"""The names of words that stand by themselves, where people write them as options."""

NAMED_WORD = re.compile(r"-*([a-z]+)(?:[=:](.*))?", re.ASCII | re.IGNORECASE | re.DOTALL)
ARROW = re.compile(r"(\w)[-=]+>(\w)", re.ASCII)
SQUARE = re.compile(r"([0-9]{1,2})[x*]\1", re.ASCII)
GLUED = re.compile(r"([a-z]+)([0-9]+)", re.ASCII | re.IGNORECASE)
RANGE = re.compile(r"([0-9]{3,6})-([0-9]{3,6})", re.ASCII)
MOST_BOARDS = 20
BOARD_LIKE = re.compile(r"[0-9][0-9oOlI]{2}", re.ASCII)
MOMENT = re.compile(r"#?(-?[0-9]{1,3})|(-[0-9]{1,3})", re.ASCII)
BEFORE_A_MOMENT = frozenset({"after", "as", "at", "from", "move", "moves", "of", "ply", "turn"})
CLEARED = frozenset({"cancel", "clear", "delete", "drop", "empty", "nothing", "off", "remove"})
"""What people say for a plan that is to be dropped."""

NO_VALUE = "\0"
"""What no option takes that takes but some words."""


def as_they_are(verb: Verb, words: Words) -> list[str]:
    """Return the words."""
    del verb
    return [*words]


def first_command(words: Words) -> Words:
    """Return the words up to where another command may begin."""
    lower = [word.lower() for word in words]
    signs = (at for at, word in enumerate(lower) if at and word in PARTING | {*game_names()})
    ends = (at + 1 for at, word in enumerate(lower) if word[-1:] in {";", ","})
    return words[: min([*signs, *ends, len(words)])]


def _unnamed(verb: Verb, words: Words) -> list[str]:
    """Return the words without the names of those that stand by themselves: ``--board=101``."""
    known = {option.name for option in verb.known}
    found: list[str] = []
    for word in words:
        named = NAMED_WORD.fullmatch(word)
        is_marked = word.startswith("-") or (named is not None and named[2])
        if named is None or not is_marked or named[1].lower() not in NAMED_WORDS - known:
            found.append(word)
        elif named[2]:
            found.append(named[2])
    return found


def _planned(verb: Verb, words: Words) -> list[str]:
    """Return a plan as it is written: ``if F6 then G7`` and ``F6 -> G7`` as one word."""
    if not _takes(verb, Kind.PLAN):
        return [*words]
    found: list[str] = []
    is_answer = False
    for word in (ARROW.sub(r"\1:\2", word) for word in words):
        sign = word.lower()
        is_answer = is_answer or sign == "if"
        if sign in {"->", "=>", ":"} or (sign == "then" and is_answer):
            found.append(":")
        elif found[1:] and found[-1] == ":":
            found[-2:] = [f"{found[-2]}:{word}"]
        elif sign != "if":
            found.append("none" if sign in CLEARED else word)
    return found


def _parted(verb: Verb, words: Words) -> list[str]:
    """Return the words, parted where signs join several."""
    del verb
    return [piece for word in words for part in APART.split(word) for piece in _counted(part)]


def _counted(word: str) -> list[str]:
    """Return the numbers from the first to the last of a few boards, else the word."""
    ends = RANGE.fullmatch(word)
    boards = range(int(ends[1]), int(ends[2]) + 1) if ends else range(0)
    return [*map(str, boards)] if len(boards) in range(2, MOST_BOARDS) else [word]


def _bare(verb: Verb, words: Words) -> list[str]:
    """Return the words without signs around them, and numbers in digits."""
    del verb
    bare = [word.strip(SIGNS) for word in words]
    return [
        board_among([word]) if BOARD_LIKE.fullmatch(word) else word
        for word, after in pairwise([*bare, ""])
        if word and (word != "-" or not after.isalpha())
    ]


def _with_moments(verb: Verb, words: Words) -> list[str]:
    """Return the words with what follows a board put behind it: ``101 after 2`` as 101#2."""
    if not _takes_moment(verb):
        return [*words]
    found: list[str] = []
    waiting = [*reversed(words)]
    while waiting:
        word = waiting.pop()
        skipped = 0
        while len(waiting) > skipped and waiting[-skipped - 1].lower() in BEFORE_A_MOMENT:
            skipped += 1
        after = waiting[-skipped - 1] if len(waiting) > skipped else ""
        moment = MOMENT.fullmatch(after) if BOARD.fullmatch(word) and "#" not in word else None
        if moment and (skipped or after[0] in "#-"):
            del waiting[-skipped - 1 :]
            word = f"{word}#{after.lstrip('#')}"
        found.append(word)
    return found


def _with_dashes(verb: Verb, words: Words) -> list[str]:
    """Return the words with options where their names, or a size, stand without a dash."""
    known = {option.name: option for option in verb.known}
    found: list[str] = []
    for word in words:
        name = found[-1].lstrip("-:/") if found else ""
        before = name if name in known else option_meant(name, known)
        if before and word.isdigit() and known[before].has_value(word):
            found[-1] = f"-{before}={word}"
        else:
            is_own = word in _own_words(verb)
            found.append(word if is_own else _dashed(known, word))
    return [
        "new" if word in {"empty", "blank"} and "new" in _own_words(verb) else word
        for word in found
    ]


def _dashed(known: Mapping[str, OptionName], word: str) -> str:
    """Return the option that a word is without a dash, else the word."""
    square, glued = SQUARE.fullmatch(word), re.fullmatch(GLUED, word)
    if square and "size" in known:
        return f"-size={square[1]}"
    if glued and glued[1].lower() in known and known[glued[1].lower()].has_value(glued[2]):
        return f"-{glued[1].lower()}={glued[2]}"
    if word.lower() in known and known[word.lower()].is_flag:
        return f"-{word}"
    takers = [o for o in known.values() if o.has_value(word) and not o.has_value(NO_VALUE)]
    return f"-{takers[0].name}={word}" if len(takers) == 1 and word.isalpha() else word


def _telling(verb: Verb, words: Words) -> list[str]:
    """Return the words but for those that say nothing, and names that are said again."""
    words = _remarked(verb, words)
    said = NOISE | {verb.name or "", verb.game.name if verb.game else ""}
    said |= {said for said, meaning in by_word("GAME").items() if meaning == verb.name}
    words = [ME if word.lower() in {"my", "mine"} else word for word in words]
    return [
        word
        for word in words
        if plain(word) not in said or word.startswith("-") or not word.isascii()
    ]


def _remarked(verb: Verb, words: Words) -> Words:
    """Return the words with a comment in place of what is said behind a move."""
    before = [*takewhile(lambda word: not TURN.fullmatch(word), words)]
    turn = words[len(before) :]
    if turn:
        before = [word for word in before if word.lower() not in MADE]
        if before[2:] and before[-1].isdigit() and len(before[-1]) < LEAST_DIGITS:
            before.pop()  # the number of a move
    words, said = [*before, *turn], turn[1:]
    is_said_aloud = bool(said) and re.sub(r"[' ]", "", "".join(said)).isalpha()
    takes_comment = "comment" in [option.name for option in verb.known]
    if not takes_comment or not is_said_aloud or {*map(plain, said)} & {*NOISE, *KEPT_APART, ME}:
        return words
    return [*before, turn[0], '-comment="TEXT"']


REPAIRS: tuple[Order, ...] = (
    _unnamed,
    _planned,
    _parted,
    _with_moments,
    _bare,
    _with_dashes,
    _telling,
)
"""What is done to the words, one after another."""


def _board_first(verb: Verb, words: Words) -> list[str]:
    """Return the words with the first number before the others."""
    del verb
    at = next((at for at, word in enumerate(words) if BOARD.fullmatch(word)), 0)
    return [words[at], *words[:at], *words[at + 1 :]] if at else []


def _first_last(verb: Verb, words: Words) -> list[str]:
    """Return the words with the first one behind the others."""
    is_second = words[:1] == [ME] or board_among(words[1:2])
    is_kept = words and verb.takes_board and (BOARD.fullmatch(words[0]) or not is_second)
    return [] if is_kept else [*words[1:], *words[:1]]


def _move_last(verb: Verb, words: Words) -> list[str]:
    """Return the words with the first cell behind the others."""
    at = next((at for at, word in enumerate(words) if TURN.fullmatch(word)), len(words))
    is_early = _takes(verb, Kind.MOVE) and words[at + 1 :]
    return [*words[:at], *words[at + 1 :], words[at]] if is_early else []


def _game_earlier(verb: Verb, words: Words) -> list[str]:
    """Return the words with the name of a game before the one that it follows."""
    at = next((at for at, word in enumerate(words) if at and word.lower() in game_names()), 0)
    if not at or not _takes(verb, Kind.GAME):
        return []
    return [*words[: at - 1], words[at], words[at - 1], *words[at + 1 :]]


def _with_me(verb: Verb, words: Words) -> list[str]:
    """Return the words with ``me`` in the place of whoever signs, or of a first player."""
    names = [param.name for param in verb.arguments]
    signer = "userid1" if verb.login is None else "userid"
    place = names.index(signer) if signer in names else None
    takes_me = verb.login is None or verb.login.takes_me
    others = [word for word in words if word.lower() != ME]
    if others and {*map(str.lower, others)} <= SELECTORS.keys() and verb.login is None:
        return [ME, *others]
    if place is None or place > len(others) or not takes_me:
        return []
    return [*others[:place], ME, *others[place:]]


def _takes_text(verb: Verb) -> bool:
    """Tell whether a text may follow a colon."""
    return any(each.before for param in verb.arguments for each in param.ways.slots)


def _takes(verb: Verb, kind: Kind) -> bool:
    """Tell whether a word of this kind may stand behind a command."""
    return any(kind in param.ways.kinds for param in verb.arguments)


def _own_words(verb: Verb) -> frozenset[str]:
    """Return the words that may be typed behind a command as they stand."""
    return frozenset().union(*(param.ways.words for param in verb.arguments))


def _takes_moment(verb: Verb) -> bool:
    """Tell whether a board may stand there as it was after some move."""
    parts = (part for param in verb.arguments for each in param.ways.slots for part in each.parts)
    return any(isinstance(part, Term) and part.has_moment for part in parts)


def _signed(verb: Verb, words: Words) -> list[str]:
    """Return the words with ``me``, unless they may be players and a text."""
    is_unsure = _takes_text(verb) and not any(word.endswith(":") for word in words)
    return [] if is_unsure else _with_me(verb, words)


SPOKEN = re.compile(r"[A-Za-z']+[.,:;!?]*", re.ASCII)
"""A word of a language, rather than a password."""


def with_colon(verb: Verb, words: Words) -> list[str]:
    """Return the words signed, with a colon between whom they go to and a text."""
    me, *others = _with_me(verb, words) or words or [""]
    is_apart = others[1:] and not any(word.endswith(":") for word in others)
    if not is_apart or me != ME or not _takes_text(verb) or not SPOKEN.fullmatch(others[1]):
        return []
    return [ME, f"{others[0]}:", *others[1:]]


def _signed_board_first(verb: Verb, words: Words) -> list[str]:
    ordered = _board_first(verb, words)
    return _signed(verb, ordered) if ordered else []


ORDERS: tuple[Order, ...] = (
    with_colon,
    as_they_are,
    _game_earlier,
    _board_first,
    _first_last,
    _move_last,
    _signed,
    _signed_board_first,
)
"""The orders in which the words are tried."""

IN_A_SHELL = frozenset({with_colon, _signed, _signed_board_first})
"""Those that need somebody who is signed in."""
