"""Offers in words, and results on which players agree before the board is full."""

import re
from collections.abc import Mapping

from pbmserv.club.match import Offer, OfferKind
from pbmserv.club.player import Seat
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Outcome, Reason, format_points, leader, parse_points
from pbmserv.engine.settle import points_bounds, settled
from pbmserv.errors import Misunderstood, Refused

RESULT = re.compile(r"-?[0-9]{1,4}--?[0-9]{1,4}", re.ASCII)


def format_result(result: Outcome) -> str:
    """Return the result as players write it: ``26-25``, X first, or the winner alone: ``X``."""
    if result.points is not None:
        return format_points(result.points)
    return "draw" if result.winner is None else result.winner.value


def parse_result(text: str, game: Game) -> Outcome:
    """Return the agreed end that ``text`` stands for in a game; raises :class:`Misunderstood`."""
    start = game.start()
    has_points = game.points_to_agree(game.score(start)) is not None
    if not has_points and text.upper() in {side.value for side in Side}:
        return Outcome(Side(text.upper()), Reason.AGREEMENT)
    if has_points and RESULT.fullmatch(text):
        points = parse_points(text)
        return Outcome(leader(points), Reason.AGREEMENT, points)
    example = "26-25, X's points first" if has_points else "X or O, the winner"
    raise Misunderstood(
        "Not a valid result.", code="bad-result", hint=f"A result is {example}.", about=text
    )


def require_possible(result: Outcome, game: Game, position: Position) -> None:
    """Raise :class:`Refused` for a result that the game can no longer have."""
    # The bounds are those of the two ways to fill the empty cells.
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
            f"The result {format_result(result)} is no longer possible.",
            code="impossible-result",
            hint=bounds.words,
        )


def offer_sentence(made: Offer, record: Record[Seat], reader: int | None = None) -> str:
    """Return an offer in a sentence, for the player ``reader`` or for everybody.

    "You offer a draw", "alice offers the result 12-10, your loss by 2", "bob asks to undo C2".
    """
    names = {seat.player_id: seat.name for seat in (record.first, record.second)}
    maker = made.player_id
    who, ending = ("You", "") if maker == reader else (names[maker], "s")
    if made.kind is OfferKind.UNDO:
        return f"{who} ask{ending} to undo {undo_words(len(made.moves), record, maker, reader)}"
    is_draw = made.kind is OfferKind.DRAW
    what = "a draw" if is_draw else f"{made.name}, {_verdict(made.result, record.seats, reader)}"
    return f"{who} offer{ending} {what}"


def _verdict(result: str, seats: Mapping[Side, Seat], reader: int | None) -> str:
    """Return a result in words: ``a win for alice (X) by 2``, ``your win by 2``."""
    points = parse_points(result) if RESULT.fullmatch(result) else None
    winner = Side(result) if points is None else leader(points)
    if winner is None:
        return "a draw"
    margin = f" by {abs(points[Side.X] - points[Side.O])}" if points else ""
    own = next((side for side, seat in seats.items() if seat.player_id == reader), None)
    if own is None:
        return f"a win for {seats[winner].name} ({winner}){margin}"
    return f"your {'win' if own is winner else 'loss'}{margin}"


def turns_to_undo(record: Record[Seat], player_id: int) -> int:
    """Return the number of turns from a player's last one on, 0 if they have made none."""
    back = range(record.ply, 0, -1)
    made = next((n for n in back if record.mover(n).player_id == player_id), record.ply + 1)
    return record.ply + 1 - made


def undo_words(count: int, record: Record[Seat], player_id: int, reader: int | None = None) -> str:
    """Return the last moves by name, with the owner of those of others: ``B2 and your C2``."""
    words = []
    for number in range(record.ply - count + 1, record.ply + 1):
        mover, move = record.mover(number), record.moves[number - 1]
        whose = "" if move.cells else "the "
        if mover.player_id != player_id:
            whose = "your " if mover.player_id == reader else f"{mover.userid}'s "
        words.append(f"{whose}{move.text}")
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
