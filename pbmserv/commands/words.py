"""Words before the grammar: quoting, dropped words, and options wherever they stand."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from pbmserv.club.word_forms import straightened
from pbmserv.errors import Misunderstood, Refused

OPTION = re.compile(r"--?([A-Za-z][A-Za-z0-9_-]*)(?:=+(.*))?", re.ASCII | re.DOTALL)
ASSIGNMENT = r"(?as)(?P<open>[\[(])?[-/]*([A-Za-z]+)\s*[=:]+\s*(.+?)(?(open)[\])])"
"""An option that has a value, written otherwise: ``size=7``, ``/size:7``, ``[-size=7]``."""
GLUED = r"([a-z]+)([0-9]+)"
"""The name of an option and its value in one: ``-s7``."""
YES, NO = frozenset({"yes", "on", "true", "1"}), frozenset({"no", "off", "false", "0"})
DROPPED = "**"

PASSWORD_TYPE = "password"
"""The name of the type of words that are read exactly as they stand."""

SIGNER_TYPE = "userid"
"""The name of the type of the word that says who signs."""

WRONG_WORDS = frozenset({"missing-word", "surplus-word", "mixed-words", "bad-selector"})
"""The codes of errors about too few, too many or misplaced words."""

MENDED = WRONG_WORDS | {"bad-userid", "bad-board", "no-such-option"}
"""The codes of errors that a suggested line may correct."""

MAX_LINE_LENGTH = 20_000
BEFORE_A_NUMBER = frozenset({"board", "game", "match", "no", "nr", "number", ""})
"""Words that people write before the number of a board."""

GAME_BEFORE = r"(?:%s)(?: *board)?(?: +|(?=#?[0-9]{3}\b))"
NUMBERED = rf"(?ai)(?:no|{GAME_BEFORE})?[\[(<]?#?([0-9]+(?:#-?[0-9]+)?)[\])>]?[.,:;!?]*"
QUOTING = r"[\"'\\]"
APOSTROPHE = r"(?<=[^\W\d_])'(?=[^\W\d_])"
BLANKS = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
"""Blanks as telephones and word processors write them."""

PLAIN_WORD = rf"[^ \t\r\n{BLANKS}]+"
"""A word of a line without quoting."""


class OptionName(NamedTuple):
    """An option a command knows: its full name, whether a value follows, what it does.

    ``read`` raises :class:`Misunderstood` for what is no value of it. One that ``is_foreign``
    belongs to another game than the one that is meant, and is known by its full name only.
    """

    name: str
    is_flag: bool
    help: str = ""
    read: Callable[[str], object] = str
    is_foreign: bool = False

    def has_value(self, text: str) -> bool:
        """Tell whether ``text`` is a value of the option."""
        try:
            self.read(text)
        except Refused:
            return False
        return not self.is_flag


def split_line(line: str) -> list[str]:
    """Return the words of a line by shell quoting rules; raises :class:`Misunderstood`."""
    if len(line) > MAX_LINE_LENGTH:
        raise Misunderstood("The line is too long.", code="line-too-long")
    if not re.search(QUOTING, line):
        return straightened(re.findall(PLAIN_WORD, line))
    import shlex

    try:
        return straightened(shlex.split(line))
    except ValueError:
        if not re.search(QUOTING, re.sub(APOSTROPHE, "", line)):
            return split_prose(line)
        raise Misunderstood(
            "A quotation mark in the line is not closed.", code="unbalanced-quotes"
        ) from None


def split_prose(line: str) -> list[str]:
    """Return the words of a line that a person wrote to another, whose apostrophes are letters."""
    import shlex

    reader = shlex.shlex(line, posix=True)
    reader.whitespace_split, reader.commenters, reader.quotes, reader.escape = True, "", '"', ""
    try:
        return straightened(reader)
    except ValueError:
        return straightened(line.split())


def drop_marks(words: Iterable[str]) -> list[str]:
    """Return the words without any ``**``."""
    return [word for word in words if word != DROPPED]


def plain_board(words: Sequence[str], game: Collection[str] = ()) -> Sequence[str]:
    """Return the words of a line with the board's number, behind the ``game``, in plain digits.

    >>> plain_board(["board", "101", "F6"]), plain_board(["#101,"]), plain_board(["S101"], ["s"])
    (['101', 'F6'], ['101'], ['101'])
    """
    rest, numbered = [*words], NUMBERED % "|".join(map(re.escape, game))
    for count in (1, 2):
        before = [word.lower().strip(".:#") for word in words[:count]]
        is_named = {*before} <= BEFORE_A_NUMBER.union(game)
        if words[count:] and is_named and re.fullmatch(numbered, words[count]):
            rest = [*words[count:]]
    found = re.fullmatch(numbered, rest[0]) if rest else None
    return words if found is None else [found[1], *rest[1:]]


def sort_out_options(
    words: Sequence[str], known: Sequence[OptionName], exact: Collection[int] = ()
) -> tuple[list[str], list[str]]:
    """Return the options in full, ``--size=7``, and all other words.

    A word is an option if letters follow its dashes: ``-``, ``--`` and ``-3`` are none. So is
    ``size=7`` where the command has such an option. A word whose place among the others is one of
    ``exact`` never is. Raises :class:`Misunderstood` for an option that is unknown, ambiguous,
    given twice or without value.
    """
    has_values = {option.name for option in known if not option.is_flag}
    options: dict[str, str] = {}
    others: list[str] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        named = _parse_option(word, has_values, is_exact=len(others) in exact)
        if named is None:
            others.append(word)
            continue
        name, given = named
        option = _find_option(name, known, word, given or next(iter(waiting[-1:]), ""))
        if option.name in options:
            raise Misunderstood(
                f"The option -{option.name} is given twice.",
                code="option-twice",
            )
        if option.is_flag:
            if given is not None and given.lower() not in YES:
                raise _no_flag(option.name, given, known)
            options[option.name] = f"--{option.name}"
        else:
            value = _next_value(option, waiting) if given is None else given
            options[option.name] = f"--{option.name}={value}"
    return [*options.values()], others


def _next_value(option: OptionName, waiting: list[str]) -> str:
    """Take the value of an option from the words behind it, the last of a list first."""
    if not waiting or waiting[-1] in {"-", "--"} or OPTION.fullmatch(waiting[-1]):
        raise Misunderstood(
            f"Missing value for -{option.name}.",
            code="bad-option-value",
            hint=option.help and f"-{option.name}: {option.help}.",
        )
    return waiting.pop()


def _parse_option(
    word: str, has_values: Collection[str], *, is_exact: bool
) -> tuple[str, str | None] | None:
    """Return the name and the value, if any, of the option that a word is, None if it is none."""
    if match := OPTION.fullmatch(word):
        name = match[1].lower()
        glued = None if match[2] else re.fullmatch(GLUED, name)
        return (glued[1], glued[2]) if glued else (name, match[2])
    found = None if is_exact else re.fullmatch(ASSIGNMENT, word)
    return (found[2].lower(), found[3]) if found and found[2].lower() in has_values else None


def _no_flag(name: str, value: str, known: Sequence[OptionName]) -> Misunderstood:
    """Return the error for a value where none can stand, with what says the contrary."""
    other = name.removeprefix("un") if name.startswith("un") else f"un{name}"
    is_other = any(option.name == other for option in known)
    is_no = value.lower() in NO
    return Misunderstood(
        f"The option -{name} takes no value.",
        code="bad-option-value",
        meant=f"-{other}" if is_no and is_other else "",
        hint=f"Leave out -{name}." if is_no and not is_other else "",
    )


def _find_option(name: str, known: Sequence[OptionName], word: str, value: str) -> OptionName:
    """Return the option so called; of several that begin so the one that has such a value."""
    found = [option for option in known if option.name == name]
    found = found or [o for o in known if o.name.startswith(name) and not o.is_foreign]
    if len(found) > 1:
        found = [option for option in found if option.has_value(value)] or found
    if len(found) == 1:
        return found[0]
    about = word.partition("=")[0]
    if not found:
        raise Misunderstood("No such option.", code="no-such-option", about=about)
    names = " or ".join(f"-{option.name}" for option in found)
    raise Misunderstood(
        "Ambiguous option.", code="ambiguous-option", meant=names, about=about, is_harmless=True
    )
