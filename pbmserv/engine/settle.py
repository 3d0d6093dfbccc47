"""The bounds of a game's result: the board filled up for X, and for O."""

from functools import lru_cache
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import DRAW, Points
from pbmserv.engine.score_tables import Tables, TieRule


class MarginBounds(NamedTuple):
    """The bounds of X's margin over all ways to go on, and the winner if it is certain.

    They hold at every later moment, so for a game ended by two passes too. ``ending`` tells what
    the margin is: in a game of which only the winner counts 1, 0 or -1; in Maxi-Star that of the
    best chains, and the winner may be certain although the best chains may still be equal.
    """

    low: int
    high: int
    winner: Side | None
    ending: TieRule = TieRule.DIFFERENCE

    @property
    def is_draw(self) -> bool:
        """Whether a draw is certain."""
        is_even = self.winner is None and self.low == self.high == 0
        return is_even and self.ending is not TieRule.BEST_CHAIN

    @property
    def is_certain(self) -> bool:
        """Whether the winner is certain, whatever is played."""
        return self.winner is not None or self.is_draw

    @property
    def document(self) -> dict[str, int | str | None]:
        """The bounds for JSON; the winner is "X", "O" or "draw", None while it is open."""
        winner = DRAW if self.is_draw else self.winner
        return {"low": self.low, "high": self.high, "winner": winner}

    @property
    def words(self) -> str:
        """The bounds in a sentence, such as "X wins by 3 to 9, whatever is played."."""
        if self.is_draw:
            return "The game is a draw, whatever is played."
        if self.winner is None:
            if self.ending is TieRule.MAJORITY:
                return "Still open."
            if self.low == self.high:
                return f"Still open: {_lead(self.low)}, tie-break not counted."
            return f"Still open: any margin from {_lead(self.high)} to {_lead(self.low)}."
        if self.ending is TieRule.MAJORITY:
            return f"{self.winner} wins, whatever is played."
        least, most = sorted((abs(self.low), abs(self.high)))
        if most == 0:
            how = "wins the tie"
        elif least == 0:
            how = f"wins by up to {most} or by the tie-break"
        else:
            how = f"wins by {least}" if least == most else f"wins by {least} to {most}"
        return f"{self.winner} {how}, whatever is played."


@lru_cache(maxsize=64)
def settled(game: Game, position: Position) -> MarginBounds | None:
    """Return the bounds of X's margin, or None after the end or without tables."""
    # No play betters a side more than having every empty cell, so the two fillings are bounds.
    tables = tables_of(game)
    if tables is None or game.is_over(position):
        return None
    lowest, highest = fill_empty(position.stones, Side.O), fill_empty(position.stones, Side.X)
    low, high = tables.balance(lowest), tables.balance(highest)
    tie_winner = game.tie_winner(position)
    winner = None
    if (low.winner or tie_winner) is Side.X:
        winner = Side.X
    elif (high.winner or tie_winner) is Side.O:
        winner = Side.O
    return MarginBounds(low.margin, high.margin, winner, tables.ending)


def points_bounds(game: Game, position: Position) -> tuple[Points, Points]:
    """Return the least and the most points that each side can still have at the end.

    Only for games with points to agree on (:meth:`Game.points_to_agree`).
    """
    found = {}
    for side in Side:
        full = Position(fill_empty(position.stones, side))
        score = game.score(full.with_trace(game.trace_of(full)))
        found[side] = game.points_to_agree(score) or score.points
    low = {side: found[side.other][side] for side in Side}
    return low, {side: found[side][side] for side in Side}


@lru_cache(maxsize=32)
def tables_of(game: Game) -> Tables | None:
    """Return the tables of a game, cached."""
    return game.tables()


def fill_empty(stones: bytes, side: Side) -> bytes:
    """Return the full board on which every empty cell is given to ``side``."""
    return stones.replace(bytes((EMPTY,)), bytes((side.stone,)))


def _lead(margin: int) -> str:
    if margin == 0:
        return "even"
    return f"X by {margin}" if margin > 0 else f"O by {-margin}"
