"""The score of a position with its reasons and owners, and how a game ended."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pbmserv.engine.board import Cell, Place, Point
from pbmserv.engine.position import Side

Points = Mapping[Side, int]
"""The points of both sides."""

Earned = tuple[Side, str, int]
"""A line of the sheet that has points: its side, title and points."""

T = TypeVar("T")

DRAW = "draw"

MAX_NAMES = 5
"""Cells that are named in the words of a line, before the list of all that belong to it."""


class Tally(NamedTuple):
    """One line of a score sheet: what earned points for a side, and why.

    ``title`` names the thing ("chain", "star", "quark peri"); ``why`` says in a few words how the
    points were counted. ``lesson`` explains the rule in a sentence or two.
    """

    side: Side
    title: str
    points: int
    why: str
    cells: tuple[Cell, ...] = ()
    lesson: str = ""


class LazyField(Generic[T]):
    """A field given as a value, or as a function that is called when the field is first read."""

    def __init__(self, default: T | Callable[[], T]) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = f"_{name}"

    def __get__(self, score: object | None, owner: type | None = None) -> T:
        if score is None:
            return cast("T", self._default)  # a dataclass asks, and passes it on to __set__
        value: T | Callable[[], T] = score.__dict__[self._key]
        if callable(value):
            value = score.__dict__[self._key] = value()
        return value

    def __set__(self, score: object, value: T | Callable[[], T]) -> None:
        score.__dict__[self._key] = value


@dataclass(frozen=True, repr=False)
class Score:
    """The points of both sides, the side that is ahead, and every reason.

    Reasons take longer than points: a game may give functions that find them when they are read,
    and with ``earning`` one for the lines of the sheet that have points, without their words.

    ``winner`` is None in a draw, and if ``is_undecided``, which is so before the win in games
    without points. ``details`` are the game's own lists behind the points, ready for JSON.
    ``notes`` are further sentences, ``lessons`` explain rules that no line of the sheet shows.
    ``margin`` is the winner's lead if that is not the difference of the points. ``feat`` says what
    the winner has done in a game without points: "has joined ...".
    """

    points: Points
    winner: Side | None
    full: bool
    sheet: LazyField[tuple[Tally, ...]] = LazyField(())
    details: LazyField[Mapping[str, Any]] = LazyField(dict)
    notes: LazyField[tuple[str, ...]] = LazyField(())
    lessons: LazyField[tuple[str, ...]] = LazyField(())
    margin: int | None = None
    feat: str = ""
    is_undecided: bool = False
    earning: Callable[[], Iterable[Earned]] | None = field(default=None, compare=False, repr=False)

    @property
    def earned(self) -> Iterable[Earned]:
        """What earned points, in the order of the sheet."""
        if self.earning:
            return self.earning()
        return ((line.side, line.title, line.points) for line in self.sheet if line.points)

    @property
    def is_draw(self) -> bool:
        """Whether both sides are equal, ties broken."""
        return self.winner is None and not self.is_undecided

    @property
    def verdict(self) -> str | None:
        """The side that is ahead, for JSON: ``"X"``, ``"O"`` or ``"draw"``; None if undecided."""
        return DRAW if self.is_draw else self.winner

    @property
    def lead(self) -> int:
        """The winner's lead; 0 if a tie was broken."""
        if self.margin is not None:
            return self.margin
        return abs(self.points[Side.X] - self.points[Side.O])


class External(NamedTuple):
    """A cell just outside the board, on which nobody plays, and the sides that touch it."""

    place: Place
    point: Point
    sides: frozenset[Side]


@dataclass(frozen=True, repr=False)
class Ownership:
    """The property of each side besides its living stones, for pictures.

    ``cells`` are empty cells and dead stones, ``corners`` the corners that a side owns for good;
    ``corner_counts`` has at one stone of each group the number of its corners; ``externals`` are
    drawn around the board; ``winning`` is the chain that has won the game, and ``path`` a part of
    it that needs each of its stones to win.
    """

    cells: Mapping[Cell, Side] = field(default_factory=dict)
    corners: Mapping[Cell, Side] = field(default_factory=dict)
    corner_counts: Mapping[Cell, int] = field(default_factory=dict)
    externals: tuple[External, ...] = ()
    winning: frozenset[Cell] = frozenset()
    path: frozenset[Cell] = frozenset()


NOTHING_OWNED = Ownership()


class Reason(Enum):
    """Why a game ended; the values are stored and never change their meaning."""

    TWO_PASSES = "two-passes"
    FULL_BOARD = "full-board"
    CONNECTION = "connection"
    MAJORITY = "majority"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    DECLINED = "declined"
    FORFEIT = "forfeit"
    REMOVED = "removed"
    """Taken away by the operator."""

    @property
    def is_by_rules(self) -> bool:
        """Whether the position alone ended the game."""
        return self in _BY_RULES

    @property
    def words(self) -> str:
        """The reason as the end of a sentence: ``after two passes``, ``by resignation``."""
        return _REASON_WORDS[self]


UNPLAYED = frozenset({Reason.DECLINED, Reason.REMOVED})
"""Why a game may have ended without having a result."""

_BY_RULES = frozenset(
    {Reason.TWO_PASSES, Reason.FULL_BOARD, Reason.CONNECTION, Reason.MAJORITY},
)
_REASON_WORDS = {
    Reason.TWO_PASSES: "after two passes",
    Reason.FULL_BOARD: "on a full board",
    Reason.CONNECTION: "by connection",
    Reason.MAJORITY: "by a majority of corners",
    Reason.RESIGNATION: "by resignation",
    Reason.AGREEMENT: "by agreement",
    Reason.DECLINED: "declined",
    Reason.FORFEIT: "on time",
    Reason.REMOVED: "removed",
}
_WITHOUT_POINTS = frozenset({Reason.CONNECTION, Reason.MAJORITY})


class Outcome(NamedTuple):
    """How a game ended: the winner, or None for a draw, and the reason.

    ``points`` are those on which the players agreed, if they did.
    """

    winner: Side | None
    reason: Reason
    points: Points | None = None

    def score_words(self, points: Points | None) -> str:
        """Return the points at the end, the winner's first: ``8 to 5``; "" if none decided it.

        A tie that was broken reads ``9 to 9 on the tie-break``.
        """
        if points is None or self.reason in _WITHOUT_POINTS or not any(points.values()):
            return ""
        first = self.winner or Side.X
        words = f"{points[first]} to {points[first.other]}"
        return words if leader(points) is self.winner else f"{words} on the tie-break"

    def clause(
        self, victory: str, title: str = "", points: Points | None = None, how: str = ""
    ) -> str:
        """Return how the game ended: ``alice (X) wins Star Board 101, 8 to 5``.

        ``victory`` names the winner, if there is one: ``alice (X) wins``, ``You win``; ``title``
        is left out if empty. ``points`` are those at the end, if known, and ``how`` the reason.
        """
        if self.reason in UNPLAYED:
            by = " by the operator" if self.reason is Reason.REMOVED else " and removed"
            return f"{title or 'the game'} was {self.reason.words}{by}"
        if self.winner is None:
            victory, title = f"{title} is a draw" if title else "a draw", ""
        score = self.score_words(points)
        end = f", {score}, {how}" if score and how else f", {score}" if score else f" {how}"
        return f"{victory} {title}".rstrip() + end.rstrip()

    def sentence(self, victory: str, title: str = "", points: Points | None = None) -> str:
        """Return the :meth:`clause` with its reason as a sentence."""
        words = self.clause(victory, title, points, self.reason.words)
        # A victory begins with a name, which stays as its player writes it.
        return f"{words if self.winner else words[:1].upper() + words[1:]}."

    def is_possible(self, ply: int) -> bool:
        """Tell whether a game of ``ply`` moves can end so after any such moves."""
        if self.reason.is_by_rules:
            return True
        if self.reason is Reason.DECLINED:
            return self.winner is None and ply < 2
        if self.reason is Reason.AGREEMENT:
            return self.points is None or leader(self.points) is self.winner
        if self.reason is Reason.REMOVED:
            return self.winner is None
        return self.winner is not None and ply >= 2


def leader(points: Points) -> Side | None:
    """Return the side with more points, or None if they are equal.

    >>> leader({Side.X: 17, Side.O: 14})
    <Side.X: 'X'>
    """
    return compare(points[Side.X], points[Side.O])


def with_komi(points: Points, komi: int) -> dict[Side, int]:
    """Return the points with komi, which O gets and X gives.

    >>> with_komi({Side.X: 4, Side.O: 3}, 2) == {Side.X: 2, Side.O: 5}
    True
    """
    return {Side.X: points[Side.X] - komi, Side.O: points[Side.O] + komi}


def komi_tallies(komi: int) -> tuple[Tally, ...]:
    """Return the lines of the score sheet about komi, X's first; none without komi."""
    if not komi:
        return ()
    lesson = "Komi evens out a difference in strength: O gets it and X pays it."
    return tuple(
        Tally(side, "komi", given, f"-komi={komi}", lesson=lesson)
        for side, given in ((Side.X, -komi), (Side.O, komi))
    )


def format_points(points: Points) -> str:
    """Return the points of both sides as text, X's first: ``26-25``."""
    return f"{points[Side.X]}-{points[Side.O]}"


def parse_points(text: str) -> Points:
    """Return the points that :func:`format_points` wrote; raises ValueError for anything else.

    >>> parse_points("-3-12") == {Side.X: -3, Side.O: 12}
    True
    """
    # The first figure may have a minus sign of its own.
    at = text.index("-", 1)
    return {Side.X: int(text[:at]), Side.O: int(text[at + 1 :])}


def compare(x: int | Sequence[int], o: int | Sequence[int]) -> Side | None:
    """Return the side with the larger of two values of one kind, or None if they are equal."""
    if x == o:
        return None
    return Side.X if x > o else Side.O  # type: ignore[operator]  # both are of one kind
