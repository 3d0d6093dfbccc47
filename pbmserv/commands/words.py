"""Words before the grammar: quoting, dropped words, and options wherever they stand."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbmserv.errors import Misunderstood

OPTION = re.compile(r"--?([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?", re.ASCII | re.DOTALL)
DROPPED = "**"
SAMPLE_GAME = "star"
"""The game whose name stands for any other in syntax and hints."""

LONGEST_LINE = 20_000


class OptionName(NamedTuple):
    """An option a command knows: its full name and whether a value follows."""

    name: str
    is_flag: bool


def split_line(line: str) -> list[str]:
    """Return the words of a line by shell quoting rules; raises :class:`Misunderstood`."""
    import shlex

    if len(line) > LONGEST_LINE:
        raise Misunderstood("The line is too long.", code="line-too-long")
    try:
        return shlex.split(line)
    except ValueError:
        raise Misunderstood(
            "A quotation mark in the line is never closed.", code="unbalanced-quotes"
        ) from None


def drop_marks(words: Iterable[str]) -> list[str]:
    """Return the words without any ``**``."""
    return [word for word in words if word != DROPPED]


def sort_out_options(words: Sequence[str], known: Sequence[OptionName]) -> list[str]:
    """Return the words as click reads them: full long options, ``--``, then all other words.

    A word is an option if letters follow its dashes, so ``-``, ``--`` and ``-3`` are not. Raises
    :class:`Misunderstood` for an option that is unknown, ambiguous, given twice or without value.
    """
    options: list[str] = []
    others: list[str] = []
    seen: set[str] = set()
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        match = OPTION.fullmatch(word)
        if match is None:
            others.append(word)
            continue
        option = _find_option(match[1].lower(), known, word)
        if option.name in seen:
            raise Misunderstood(f"The option -{option.name} is given twice.", code="option-twice")
        seen.add(option.name)
        value = match[2]
        if option.is_flag:
            if value is not None:
                raise Misunderstood(
                    f"The option -{option.name} takes no value.", code="bad-option-value"
                )
            options.append(f"--{option.name}")
            continue
        if value is None:
            if not waiting or waiting[-1] in {"-", "--"} or OPTION.fullmatch(waiting[-1]):
                raise Misunderstood(
                    f"The option -{option.name} needs a value.", code="bad-option-value"
                )
            value = waiting.pop()
        options.append(f"--{option.name}={value}")
    return [*options, "--", *others]


def likely(word: str, words: Iterable[str]) -> str:
    """Return a hint with the known word nearest to ``word``, or nothing if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word[:40].lower(), list(words), n=1)
    return f"Did you mean {near[0]}?" if near else ""


def _find_option(name: str, known: Sequence[OptionName], word: str) -> OptionName:
    exact = [option for option in known if option.name == name]
    found = exact or [option for option in known if option.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    about = word.partition("=")[0]
    if found:
        names = ", ".join(f"-{option.name}" for option in found)
        raise Misunderstood(
            "That option is ambiguous.",
            code="ambiguous-option",
            hint=f"It may be {names}.",
            about=about,
        )
    near = likely(name, (option.name for option in known)).replace("mean ", "mean -")
    names = ", ".join(f"-{option.name}" for option in known)
    hint = near or (f"Its options: {names}." if known else "It takes no options.")
    raise Misunderstood(
        "This command has no such option.", code="no-such-option", hint=hint, about=about
    )
