"""The notation in which a command declares its words: ``BOARD[#N]... | USERID... [all|active]``.

Small letters are words to be typed, capital letters name what is read or looked up. A bar between
words parts what may stand in one place, a bar between blanks whole ways to go on. What may be left
out stands in brackets, and dots follow what may stand again.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOMENT = "[#N]"
"""May follow a board, without a blank."""


LITERAL = re.compile(r"[a-z][a-z-]*|[XO0-9]")
PLAYERS = frozenset({"USERID", "USERID1", "USERID2", "TO", "PLAYER", "FROM", "INTO"})
"""What is to be typed, and what stands for a userid."""


class Place(NamedTuple):
    """A place of a syntax line: what may stand there, whether nothing may, and whether again."""

    parts: tuple[str, ...]
    is_optional: bool = False
    repeats: bool = False
    is_closed: bool = False
    """Whether its brackets hold nothing else."""


@cache
def ways(syntax: str) -> tuple[tuple[Place, ...], ...]:
    """Return the places of each way in which words may go on.

    >>> [[place.parts for place in way] for way in ways("BOARD[#N]... | USERID... [all|active]")]
    [[('BOARD',)], [('USERID',), ('all', 'active')]]
    """
    return tuple(tuple(map(_place, way.split())) for way in syntax.split(" | "))


def _place(text: str) -> Place:
    parts = [part.strip('[]."') for part in text.replace(MOMENT, "").split("|")]
    is_optional = text.startswith("[")
    return Place(tuple(parts), is_optional, "..." in text, is_optional and text.endswith("]"))


def reach(places: tuple[Place, ...], number: int) -> set[int]:
    """Return this place and those that it leads to past places that may be left out."""
    is_optional = number < len(places) and places[number].is_optional
    return {number} | (reach(places, number + 1) if is_optional else set())


def next_places(way: tuple[Place, ...], words: Iterable[str]) -> Iterator[Place]:
    """Yield the places of a way at which the word behind these may stand; none where they do not.

    What is no board's number is taken for one of nothing else, nor is a number for a player.
    """
    reached = reach(way, 0)
    for word in words:
        reached = {
            after
            for number in reached
            if number < len(way) and any(_fits(part, word) for part in way[number].parts)
            for after in ({number} if way[number].repeats else set()) | reach(way, number + 1)
        }
    yield from (way[number] for number in sorted(reached) if number < len(way))


def _fits(part: str, word: str) -> bool:
    if LITERAL.fullmatch(part):
        return part.lower() == word.lower()
    return word[:1].isdigit() == (part == "BOARD") if part in {*PLAYERS, "BOARD"} else True


def first_words(syntax: str) -> str:
    """Return what the first word may be, as people say it.

    >>> first_words("BOARD[#N]... | USERID... [all|active]"), first_words("[N] [MOVE]...")
    ('BOARD or USERID', 'MOVE')
    """
    firsts = [way[1] if way[0].is_closed and way[1:] else way[0] for way in ways(syntax)]
    parts = [part.partition("[/")[0] for place in firsts for part in place.parts if part != "-"]
    *others, last = dict.fromkeys(parts)
    return f"{', '.join(others)} or {last}" if others else last
