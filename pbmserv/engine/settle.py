"""What a game can still come to: the two ways to fill its board, all for X and all for O."""

from functools import lru_cache
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.score import Points
from pbmserv.engine.score_tables import Tables


class Settled(NamedTuple):
    """The bounds of X's margin, whatever is played from here on, and the winner if it is certain.

    They hold at every later moment, so for a game ended by two passes too. In a game of which
    only the winner counts the margin is 1, 0 or -1; in Maxi-Star it is that of the best chains,
    and the winner may be certain although the best chains may still be equal.
    """

    low: int
    high: int
    winner: Side | None

    @property
    def words(self) -> str:
        """The bounds in a sentence, such as "X wins by 3 to 9, whatever is played."."""
        if self.winner is None:
            if self.low == self.high == 0:
                return "The game is a draw, whatever is played."
            if (self.low, self.high) == (-1, 1):
                return "Still open."
            return f"Still open: anything from {_lead(self.high)} to {_lead(self.low)}."
        least, most = sorted((abs(self.low), abs(self.high)))
        if most == 0:
            how = "wins the tie"
        elif least == 0:
            how = f"wins by up to {most} or by the tie-break"
        else:
            how = f"wins by {least}" if least == most else f"wins by {least} to {most}"
        return f"{self.winner} {how}, whatever is played."


def settled(game: Game, position: Position) -> Settled | None:
    """Return what X's margin can still become, or None after the end or without tables.

    No play betters a side more than having every empty cell, so the two fillings are bounds.
    """
    tables = tables_of(game)
    if tables is None or game.is_over(position):
        return None
    low = tables.standing(filled(position.stones, Side.O))
    high = tables.standing(filled(position.stones, Side.X))
    tie_winner = game.tie_winner(position)
    winner = None
    if (low.winner or tie_winner) is Side.X:
        winner = Side.X
    elif (high.winner or tie_winner) is Side.O:
        winner = Side.O
    return Settled(low.margin, high.margin, winner)


def points_bounds(game: Game, position: Position) -> tuple[Points, Points]:
    """Return the fewest and the most points that each side can still come to.

    Only for games in which there are points to agree on (:meth:`Game.points_to_agree`).
    """
    found = {}
    for side in Side:
        full = Position(filled(position.stones, side))
        score = game.score(full.with_trace(game.trace_of(full)))
        found[side] = game.points_to_agree(score) or score.points
    low = {side: found[side.other][side] for side in Side}
    return low, {side: found[side][side] for side in Side}


@lru_cache(maxsize=32)
def tables_of(game: Game) -> Tables | None:
    """Return the tables of a game, laid out once."""
    return game.tables()


def filled(stones: bytes, side: Side) -> bytes:
    """Return the full board on which every empty cell is given to ``side``."""
    return stones.replace(bytes((EMPTY,)), bytes((side.stone,)))


def _lead(margin: int) -> str:
    if margin == 0:
        return "even"
    return f"X by {margin}" if margin > 0 else f"O by {-margin}"
