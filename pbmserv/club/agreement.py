"""Results that players agree on before the board is full, and how far they may go."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pbmserv.club.match import Offer, OfferKind
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Outcome, Points, Reason, format_points, leader, parse_points
from pbmserv.engine.settle import points_bounds, settled
from pbmserv.errors import Misunderstood, Refused

RESULT = re.compile(r"-?[0-9]{1,4}--?[0-9]{1,4}", re.ASCII)


class Result(NamedTuple):
    """A result to agree on: the points of both sides, None where only a winner counts."""

    winner: Side | None
    points: Points | None = None

    @property
    def outcome(self) -> Outcome:
        """The end of a game with this result."""
        return Outcome(self.winner, Reason.AGREEMENT, self.points)


def format_result(result: Result) -> str:
    """Return the result as players write it: ``26-25``, X first, or the winner alone: ``X``."""
    if result.points is not None:
        return format_points(result.points)
    return "draw" if result.winner is None else result.winner.value


def parse_result(text: str, game: Game) -> Result:
    """Return the result that ``text`` stands for in a game; raises :class:`Misunderstood`."""
    start = game.start()
    has_points = game.points_to_agree(game.score(start)) is not None
    if not has_points and text.upper() in {side.value for side in Side}:
        return Result(Side(text.upper()))
    if has_points and RESULT.fullmatch(text):
        points = parse_points(text)
        return Result(leader(points), points)
    example = "26-25, X's points first" if has_points else "X or O, the winner"
    raise Misunderstood(
        "Not a valid result.", code="bad-result", hint=f"A result is {example}.", about=text
    )


def require_possible(result: Result, game: Game, position: Position) -> None:
    """Raise :class:`Refused` for a result to which the game could no longer come.

    The bounds are those of the two ways to fill the empty cells.
    """
    bounds = settled(game, position)
    if bounds is None:
        return
    if result.points is None:
        is_possible = bounds.winner in {None, result.winner}
    else:
        low, high = points_bounds(game, position)
        margin = result.points[Side.X] - result.points[Side.O]
        is_possible = bounds.low <= margin <= bounds.high and all(
            low[side] <= result.points[side] <= high[side] for side in Side
        )
    if not is_possible:
        raise Refused(
            f"The game can no longer come to {format_result(result)}.",
            code="impossible-result",
            hint=bounds.words,
        )


def offer_words(made: Offer, names: Mapping[Side, str], reader: Side | None = None) -> str:
    """Return the thing offered, and of a result who would win by how much.

    "the result 12-10, a win for alice (X) by 2"; for a ``reader`` who plays, "your win by 2".
    """
    if made.kind is not OfferKind.RESULT:
        return made.words
    points = parse_points(made.result) if RESULT.fullmatch(made.result) else None
    winner = Side(made.result) if points is None else leader(points)
    if winner is None:
        return f"{made.words}, a draw"
    margin = f" by {abs(points[Side.X] - points[Side.O])}" if points else ""
    if reader is None:
        return f"{made.words}, a win for {names[winner]} ({winner}){margin}"
    return f"{made.words}, your {'win' if reader is winner else 'loss'}{margin}"


def offer_sentence(
    made: Offer, maker: str, names: Mapping[Side, str], reader: Side | None = None
) -> str:
    """Return who offers what; ``maker`` is a name, or empty where it is the reader's own offer."""
    who = f"{maker} offers" if maker else "You offer"
    return f"{who} {offer_words(made, names, reader)}"
