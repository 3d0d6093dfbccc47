"""A game so far: its moves and players, and all that follows from them, swaps included."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Generic, TypeVar

from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side, move_phrase
from pbmserv.engine.score import UNPLAYED, Outcome, Points

Who = TypeVar("Who")
"""The type of a player: a name, or a value whose text is one."""
Other = TypeVar("Other")


class Status(StrEnum):
    """How a game stands; the values are stored and printed."""

    RUNNING = "running"
    WON = "won"
    DRAWN = "drawn"
    REMOVED = "removed"


def status_of(outcome: Outcome | None) -> Status:
    """Return the status of a game with this outcome, None while it runs."""
    if outcome is None:
        return Status.RUNNING
    if outcome.reason in UNPLAYED:
        return Status.REMOVED
    return Status.DRAWN if outcome.winner is None else Status.WON


@dataclass(frozen=True, repr=False)
class Record(Generic[Who]):
    """A game from its first move: what is needed to play it again.

    ``first`` began as X and ``second`` as O, ``outcome`` is None while it goes on. ``known`` are
    the first positions, from the start, if they are known already; the others are played when they
    are needed. ``board``, ``started``, ``finished`` (ISO 8601, UTC) and ``computer`` (which of the
    two are computers) come from a heading, if there is one.

    >>> from pbmserv.engine.spec import parse_game
    >>> record = played(parse_game("star(size=3)"), ["A3", "swap"], "alice", "bob")
    >>> record.seats[Side.X], record.to_move, record.describe_move(2)
    ('bob', <Side.O: 'O'>, 'bob swaps')
    """

    game: Game
    first: Who
    second: Who
    moves: tuple[Move, ...] = ()
    outcome: Outcome | None = None
    known: tuple[Position, ...] = field(default=(), repr=False, compare=False)
    board: str = ""
    started: str = ""
    finished: str = ""
    computer: str = ""

    @property
    def ply(self) -> int:
        """The number of turns made, swap and passes included."""
        return len(self.moves)

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions before the first move and after each; raises :class:`IllegalMove`."""
        known = self.known or (self.game.start(),)
        new = self.moves[len(known) - 1 :]
        return (*known[:-1], *accumulate(new, self.game.play, initial=known[-1])) if new else known

    @cached_property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def texts(self) -> tuple[str, ...]:
        """The moves as text."""
        return tuple([move.text for move in self.moves])

    @property
    def sides(self) -> tuple[Side, ...]:
        """The side that made each move, as it was then."""
        return tuple([position.to_move for position in self.positions[: len(self.moves)]])

    @property
    def has_swap(self) -> bool:
        """Whether the players have exchanged seats."""
        return self._is_swapped(len(self.moves))

    @cached_property
    def seats(self) -> dict[Side, Who]:
        """The player of each side now."""
        return self.seats_after(len(self.moves))

    @property
    def ends_in_swap(self) -> bool:
        """Whether the players have just exchanged seats."""
        return self.ply > 0 and self.moves[-1].is_swap

    def seats_after(self, ply: int) -> dict[Side, Who]:
        """Return the player of each side after ``ply`` turns."""
        if self._is_swapped(ply):
            # RULES: The players exchange sides: the player who swaps is now X
            return {Side.X: self.second, Side.O: self.first}
        return {Side.X: self.first, Side.O: self.second}

    def side_of_mover(self, number: int, ply: int) -> Side:
        """Return the side that the player of move ``number`` has after ``ply`` turns."""
        side = self.positions[number - 1].to_move
        return side if self._is_swapped(number - 1) == self._is_swapped(ply) else side.other

    def mover(self, number: int) -> Who:
        """Return the player of move ``number``, counted from 1."""
        return self.seats_after(number - 1)[self.positions[number - 1].to_move]

    def describe_move(self, number: int) -> str:
        """Return what was done with move ``number``, and by whom: ``bob swaps``."""
        return f"{self.mover(number)} {move_phrase(self.moves[number - 1].text)}"

    told = describe_move  # its former name, until 2.0

    @property
    def status(self) -> Status:
        """How the game stands."""
        return status_of(self.outcome)

    @cached_property
    def to_move(self) -> Side | None:
        """The side whose turn it is, None when the game has ended."""
        return self.position.to_move if self.outcome is None else None

    @property
    def winner(self) -> Who | None:
        """The player who has won, or None."""
        won = self.outcome.winner if self.outcome else None
        return None if won is None else self.seats[won]

    @property
    def points(self) -> Points | None:
        """The points at the end, by the rules or by agreement.

        None while the game goes on, and if points did not decide it, as after a resignation.
        """
        outcome = self.outcome
        if outcome is None or not outcome.reason.is_by_rules:
            return outcome.points if outcome else None
        return self.game.score(self.position).points

    def result_sentence(self, title: str = "", victory: str = "") -> str:
        """Return how the game ended in a sentence, "" while it goes on.

        ``alice (X) wins Star Board 101, 8 to 5, after two passes.`` names the ``title``, if there
        is one; ``victory``, as in ``You win``, replaces the winner's name.
        """
        outcome = self.outcome
        if outcome is None:
            return ""
        who = f"{self.winner} ({outcome.winner})" if self.winner else outcome.winner
        return outcome.sentence(victory or f"{who} wins", title, self.points)

    closing = result_sentence  # its former name, until 2.0

    def play(self, move: Move) -> "Record[Who]":
        """Return the game after one more move, ended if the rules end it.

        A game that was resigned or ended by agreement goes on. Raises :class:`IllegalMove`.
        """
        after = self.game.play(self.position, move)
        moves, known = (*self.moves, move), (*self.positions, after)
        outcome = self.game.outcome(after)
        return Record(self.game, self.first, self.second, moves, outcome, known)

    def with_players(self, first: Other, second: Other) -> "Record[Other]":
        """Return the same game between other players, without a heading."""
        return Record(self.game, first, second, self.moves, self.outcome, self.positions)

    def after(self, ply: int) -> "Record[Who]":
        """Return the game as it was after ``ply`` turns; after all of them, with its end."""
        if ply == self.ply:
            return self
        moves, known = self.moves[:ply], self.positions[: ply + 1]
        return Record(self.game, self.first, self.second, moves, None, known)

    def _is_swapped(self, ply: int) -> bool:
        # Only the second turn can be one.
        return ply > 1 and self.moves[1].is_swap


def played(game: Game, texts: Iterable[str], first: str = "", second: str = "") -> Record[str]:
    """Return a game that goes on after these moves; raises :class:`InvalidMove`."""
    return Record(game, first, second, tuple(map(game.parse_move, texts)))
