"""Words as people write them: dashes of every kind, and the known word that is likely meant."""

from collections.abc import Iterable

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d\u2e3a\u2e3b\u02d7"
"""What writing programs make of a dash or of two."""

SHORTEST_STEM = 2
"""How many letters of a word may rather be a slip than the beginning of a longer one."""

LIKENESS = 0.65
"""How much of a word must be that of another for it to be suggested."""

SLIP = 0.75
"""How much of a word, from 0 to 1, is that of another where only a slip divides them."""


def straightened(words: Iterable[str]) -> list[str]:
    """Return the words, each with one plain dash for whatever odd dashes it begins with."""
    marks = f"{DASHES}-"
    return [f"-{word.lstrip(marks)}" if word and word[0] in DASHES else word for word in words]


def likely(word: str, words: Iterable[str], before: str = "") -> str:
    """Return a hint with the known word nearest to ``word``, or nothing if none is near.

    ``before`` is what is to be written before the known word.
    """
    near = nearest(word, words)
    return f"Did you mean {before}{near}?" if near else ""


def nearest(word: str, words: Iterable[str]) -> str:
    """Return the known word nearest to ``word``, or the only one that begins with it, if any."""
    from difflib import get_close_matches

    by_lower = {known.lower(): known for known in words}
    short = word[:40].lower()
    if short.endswith("s") and short[:-1] in by_lower:
        return by_lower[short[:-1]]
    longer = [known for known in by_lower if len(short) > 1 and known.startswith(short)]
    near = get_close_matches(short, by_lower, n=1, cutoff=LIKENESS)
    found = longer if len(longer) == 1 and len(short) > SHORTEST_STEM else near or longer
    return by_lower[found[0]] if found and (near or len(longer) == 1) else ""


def is_slip(word: str, words: Iterable[str]) -> bool:
    """Tell whether ``word`` is so near to a known one that it was hardly meant as anything else."""
    from difflib import get_close_matches

    return bool(get_close_matches(word[:40].lower(), words, n=1, cutoff=SLIP))
