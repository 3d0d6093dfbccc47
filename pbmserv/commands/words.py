"""Words before the grammar: quoting, dropped words, and options wherever they stand."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from pbmserv.club.word_forms import likely, straightened
from pbmserv.errors import Misunderstood, Refused

OPTION = re.compile(r"--?([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?", re.ASCII | re.DOTALL)
ASSIGNMENT = re.compile(r"([A-Za-z]+)=(.+)", re.ASCII | re.DOTALL)
"""An option that has a value, written without a dash: ``size=7``."""
DROPPED = "**"
SAMPLE_GAME = "star"
"""The game whose name stands for any other in syntax and hints."""

LONGEST_LINE = 20_000
QUOTING = re.compile(r"[\"'\\]")
PLAIN_WORD = re.compile(r"[^ \t\r\n]+")
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
    if len(line) > LONGEST_LINE:
        raise Misunderstood("The line is too long.", code="line-too-long")
    if not QUOTING.search(line):
        return straightened(PLAIN_WORD.findall(line))
    import shlex

    try:
        return straightened(shlex.split(line))
    except ValueError:
        raise Misunderstood(
            "A quotation mark in the line is not closed.", code="unbalanced-quotes"
        ) from None


def drop_marks(words: Iterable[str]) -> list[str]:
    """Return the words without any ``**``."""
    return [word for word in words if word != DROPPED]


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
    options: list[str] = []
    others: list[str] = []
    seen: set[str] = set()
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        match = OPTION.fullmatch(word)
        if match is None and len(others) not in exact:
            assigned = ASSIGNMENT.fullmatch(word)
            match = assigned if assigned and assigned[1].lower() in has_values else None
        if match is None:
            others.append(word)
            continue
        value = match[2] or next(iter(waiting[-1:]), "")
        option = _find_option(match[1].lower(), known, word, value)
        if option.name in seen:
            raise Misunderstood(
                f"The option -{option.name} is given twice.",
                code="option-twice",
            )
        seen.add(option.name)
        if option.is_flag:
            if match[2] is not None:
                raise Misunderstood(
                    f"The option -{option.name} takes no value.", code="bad-option-value"
                )
            options.append(f"--{option.name}")
            continue
        if match[2] is None:
            if not waiting or waiting[-1] in {"-", "--"} or OPTION.fullmatch(waiting[-1]):
                raise Misunderstood(
                    f"Missing value for -{option.name}.",
                    code="bad-option-value",
                    hint=option.help and f"-{option.name}: {option.help}.",
                )
            waiting.pop()
        options.append(f"--{option.name}={value if match[2] is None else match[2]}")
    return options, others


def _find_option(name: str, known: Sequence[OptionName], word: str, value: str) -> OptionName:
    """Return the option so called; of several that begin so the one that has such a value."""
    exact = [option for option in known if option.name == name]
    own = [option for option in known if not option.is_foreign]
    found = exact or [option for option in own if option.name.startswith(name)]
    if len(found) > 1:
        found = [option for option in found if option.has_value(value)] or found
    if len(found) == 1:
        return found[0]
    about = word.partition("=")[0]
    if found:
        names = " or ".join(f"-{option.name}" for option in found)
        raise Misunderstood(
            "Ambiguous option.",
            code="ambiguous-option",
            hint=f"Did you mean {names}?",
            about=about,
        )
    near = likely(name, (option.name for option in known), "-")
    hint = near or ("" if known else "This command takes no options.")
    raise Misunderstood("No such option.", code="no-such-option", hint=hint, about=about)
