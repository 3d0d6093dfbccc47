"""The places of a command's words, as values; a syntax line is printed from them.

Words to be typed are plain strings, all else is a :class:`Term`. What may stand in one place is a
:class:`Slot`, a row of them a way in which the words may go on, and :class:`Ways` all of these:

>>> shown = Ways(((slot(BOARD_THEN, many=True),), (slot(USERID, many=True), maybe("all"))))
>>> str(shown), shown.firsts
('BOARD[#N]... | USERID... [all]', 'BOARD or USERID')
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Kind(Enum):
    """The kind of word in a place, whatever a syntax line calls it."""

    BOARD = "a board's number"
    PLAYER = "a userid"
    PASSWORD = "a password"
    GAME = "a game"
    MOVE = "a move"
    PLAN = "planned answers"
    NUMBER = "a number"
    DATE = "a day"
    NAME = "a name"
    TEXT = "what somebody says"
    TOPIC = "a page of help"
    TOURNAMENT = "a tournament"
    FILE = "a file"
    FOLDER = "a folder"


class Term(NamedTuple):
    """A thing that is read or looked up, and its name in a syntax line.

    With ``has_moment`` a ``#`` and a number may follow it.
    """

    name: str
    kind: Kind
    has_moment: bool = False

    def __str__(self) -> str:
        return f"{self.name}[#N]" if self.has_moment else self.name

    def called(self, name: str) -> Term:
        """Return the same by another name."""
        return self._replace(name=name)


BOARD, BOARD_THEN = Term("BOARD", Kind.BOARD), Term("BOARD", Kind.BOARD, has_moment=True)
USERID = Term("USERID", Kind.PLAYER)
PLAYER, TO = USERID.called("PLAYER"), USERID.called("TO")
PASSWORD, GAME = Term("PASSWORD", Kind.PASSWORD), Term("GAME", Kind.GAME)
MOVE, TURN = Term("MOVE", Kind.MOVE), Term("MOVE", Kind.MOVE, has_moment=True)
N, NAME = Term("N", Kind.NUMBER), Term("NAME", Kind.NAME)
NUMBER, DAYS = N.called("NUMBER"), N.called("DAYS")
ADDRESS, WORD = NAME.called("ADDRESS"), NAME.called("WORD")
TEXT, TOURNAMENT = Term("TEXT", Kind.TEXT), Term("TOURNAMENT", Kind.TOURNAMENT)
FILE, DIR = Term("FILE", Kind.FILE), Term("DIR", Kind.FOLDER)
FILE_THEN, LINK = FILE._replace(has_moment=True), FILE.called("LINK")


class Slot(NamedTuple):
    """A place: what may stand there, whether nothing may, and whether again and again.

    ``before`` is a sign that a syntax line has before it. Of places that can be left out only
    together the first opens a bracket and the last closes it.
    """

    parts: tuple[Term | str, ...]
    is_optional: bool = False
    repeats: bool = False
    before: str = ""
    opens: bool = True
    closes: bool = True

    def __str__(self) -> str:
        dots = "..." if self.repeats else ""
        if not self.is_optional:
            return "|".join(f"{p}{dots if isinstance(p, Term) else ''}" for p in self.parts)
        left, right = "[" * self.opens, "]" * self.closes
        return f"{left}{self.before}{'|'.join(map(str, self.parts))}{right}{dots}"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that may be typed there literally."""
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of what else may stand there."""
        return frozenset(part.kind for part in self.parts if isinstance(part, Term))

    def fits(self, word: str) -> bool:
        """Tell whether the word may stand there, by its looks.

        What is no board's number is taken for one of nothing else, nor is a number for a player.
        """
        return any(_fits(part, word) for part in self.parts)


def slot(*parts: Term | str, many: bool = False) -> Slot:
    """Return a place where one of these must stand, or ``many``."""
    return Slot(parts, repeats=many)


def maybe(*parts: Term | str, many: bool = False, before: str = "") -> Slot:
    """Return a place where one of these may stand, or ``many``."""
    return Slot(parts, is_optional=True, repeats=many, before=before)


class Ways(NamedTuple):
    """The ways in which words may go on, and whether there may be none at all."""

    ways: tuple[tuple[Slot, ...], ...]
    is_optional: bool = False

    def __str__(self) -> str:
        printed = " | ".join(" ".join(map(str, way)) for way in self.ways)
        return f"[{printed}]" if self.is_optional else printed

    @property
    def slots(self) -> Iterator[Slot]:
        """The places of all ways."""
        return (each for way in self.ways for each in way)

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of all places."""
        return frozenset(kind for each in self.slots for kind in each.kinds)

    @property
    def words(self) -> frozenset[str]:
        """The words that may be typed literally in any place."""
        return frozenset(word for each in self.slots for word in each.words)

    @property
    def firsts(self) -> str:
        """The forms of the first word, in a sentence."""
        firsts = [way[1] if way[0].is_optional and way[1:] else way[0] for way in self.ways]
        parts = [part for each in firsts for part in each.parts if part != "-"]
        names = [part.name if isinstance(part, Term) else part for part in parts]
        *others, last = dict.fromkeys(name.partition("[/")[0] for name in names)
        return f"{', '.join(others)} or {last}" if others else last


def one_way(*slots: Slot) -> Ways:
    """Return the words that stand in these places."""
    return Ways((slots,))


def next_slots(way: tuple[Slot, ...], words: Iterable[str]) -> Iterator[Slot]:
    """Yield the places of a way at which the word behind these may stand; none if they do not."""
    reached = _reach(way, 0)
    for word in words:
        reached = {
            after
            for number in reached
            if number < len(way) and way[number].fits(word)
            for after in ({number} if way[number].repeats else set()) | _reach(way, number + 1)
        }
    yield from (way[number] for number in sorted(reached) if number < len(way))


def _reach(way: tuple[Slot, ...], number: int) -> set[int]:
    """Return this place and those that it leads to past places that may be left out."""
    is_optional = number < len(way) and way[number].is_optional
    return {number} | (_reach(way, number + 1) if is_optional else set())


def _fits(part: Term | str, word: str) -> bool:
    if isinstance(part, str):
        return part.lower() == word.lower()
    if part.kind in {Kind.BOARD, Kind.PLAYER}:
        return word[:1].isdigit() == (part.kind is Kind.BOARD)
    return True
