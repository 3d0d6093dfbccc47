"""Words as people write them: dashes of every kind, and the known word that is likely meant."""

import re
import unicodedata
from collections.abc import Iterable

BETWEEN = frozenset({"against", "and", "versus", "vs", "vs."})
"""Words that people write between two players."""

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d\u2e3a\u2e3b\u02d7"
"""What writing programs make of a dash or of two."""

SHORTEST_STEM = 2
"""How many letters of a word may rather be a slip than the beginning of a longer one."""

LIKENESS = 0.7
"""How much of a word must be that of another for it to be suggested."""

SLIP = 0.75
"""How much of a word, from 0 to 1, is that of another where only a slip divides them."""


MARKS = str.maketrans("", "", "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a\u3002")
"""Quotation marks, and other signs that telephones put around a word."""

WITH_DIGITS = re.compile(r"[!-~]*[0-9][!-~]*", re.ASCII)


def straightened(words: Iterable[str]) -> list[str]:
    r"""Return the words, each with one plain dash for whatever odd dashes it begins with.

    A number, a cell or an option in the signs of another script, or between quotation marks that
    no keyboard has, is written plainly; no password has such signs.

    >>> straightened(["\u2013size\uff1d7", "\u201cF6\u201d", "\u2116101"])
    ['-size=7', 'F6', 'No101']
    """
    return [word if word.isascii() else _straight(word) for word in words]


def _straight(word: str) -> str:
    marks = f"{DASHES}-"
    straight = f"-{word.lstrip(marks)}" if word[0] in DASHES else word
    seen = "".join(sign for sign in straight if unicodedata.category(sign) != "Cf")
    simple = unicodedata.normalize("NFKC", seen).translate(MARKS)
    return simple if WITH_DIGITS.fullmatch(simple) else straight


def nearest(word: str, words: Iterable[str]) -> str:
    """Return the known word nearest to ``word``, or the only one that begins with it, if any."""
    from difflib import get_close_matches

    by_lower = {known.lower(): known for known in words}
    short = word[:40].lower()
    if short.endswith("s") and short[:-1] in by_lower:
        return by_lower[short[:-1]]
    longer = [known for known in by_lower if len(short) > 1 and known.startswith(short)]
    near = _exchanged(short, by_lower) or get_close_matches(short, by_lower, n=1, cutoff=LIKENESS)
    found = longer if len(longer) == 1 and len(short) > SHORTEST_STEM else near or longer
    return by_lower[found[0]] if found and (near or len(longer) == 1) else ""


def stems(word: str) -> list[str]:
    """Return what a form of a verb may come from: moves, moving and moved ask how to move."""
    stem = re.sub(r"(s|ing|ed|ation)$", "", word)
    return [stem, f"{stem}e", stem[:-1]] if len(stem) > 1 and stem != word else []


def _exchanged(word: str, words: Iterable[str]) -> list[str]:
    """Return the one word with the same letters in another order, if there is one."""
    letters = sorted(word)
    found = [known for known in words if len(known) == len(word) and sorted(known) == letters]
    return found if len(found) == 1 else []


def slip_of(word: str, words: Iterable[str]) -> str:
    """Return the known word so near to ``word`` that only a slip divides them, or nothing."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word[:40].lower(), words, n=1, cutoff=SLIP)), "")


def one_edit(word: str, known: str) -> bool:
    """Tell whether a word is another but for one letter, or for two that changed places."""
    cut = next((at for at in range(len(word)) if word[at] != known[at : at + 1]), len(word))
    ours, theirs = word[cut:], known[cut:]
    is_turned = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
    return is_turned or ours[1:] in (theirs, theirs[1:]) or ours == theirs[1:]


def is_slip(word: str, words: Iterable[str]) -> bool:
    """Tell whether ``word`` is so near to a known one that it was hardly meant as anything else."""
    return bool(slip_of(word, words))
