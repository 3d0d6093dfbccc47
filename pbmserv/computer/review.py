"""The analysis of a finished game: winning chances, turning points and accuracy.

The position before each move is searched for itself. A move's loss is what it took off its mover's
winning chance: the chance that the search gave to the best move, less that after the move played.
A large loss stands only if a search after the best move finds it, too, and none is told after the
winner's win is proven: that is asked from the end of the game back. The worst losses are the
turning points; the accuracy of a player is 100 % less the mean loss.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import Any, NamedTuple

from pbmserv.computer.lesson import advise
from pbmserv.computer.level_list import ENDLESS, HINT_LEVEL
from pbmserv.computer.proof import prove
from pbmserv.computer.search import Search, clamp_chance
from pbmserv.computer.task import Effort
from pbmserv.computer.turning_words import explain_mistake
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Position, Side, move_phrase
from pbmserv.engine.record import Record
from pbmserv.engine.settle import settled

SIMULATIONS = 8_000
"""Simulations of the search in every position."""
CLOSER = 4
"""How many times as many a closer look has, at what a move is accused of and for a proof."""
MIN_LOSS = 0.1
"""The loss that makes a move a turning point."""
PROOF_DEPTH, PROOF_EFFORT = 2, 300_000
"""How far proofs look ahead, and how hard: a second or so where there is none."""
MAX_TURNING = 6
"""Turning points that are told, the worst."""
TURNING_POINTS = "Turning points, with the winning chance before and after:"
PLAIN_STEP = 5
"""Moves between two chances that are told in words."""
MAX_LINE = 5
"""Moves of a better line that are told."""


class PositionAnalysis(NamedTuple):
    """The result of a search in one position.

    ``chance`` is X's winning chance, ``best`` the move to play, ``value`` the mover's winning
    chance with it, ``line`` the likely continuation.
    """

    chance: float
    best: str = ""
    value: float = 0.0
    line: tuple[str, ...] = ()


class TurningPoint(NamedTuple):
    """A move that lost much of its mover's chance, from ``before`` to ``after``, and the better."""

    number: int
    side: Side
    played: str
    before: float
    after: float
    better: str
    line: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """A game and the analysis of the position before each move, and after the last.

    ``settled_at`` is the number of moves after which nothing could change the winner any more, and
    ``proven_at`` that after which the winner's win is proven at each moment; None if never.
    """

    record: Record[Any]
    looks: tuple[PositionAnalysis, ...]
    settled_at: int | None
    proven_at: int | None = None

    @property
    def chances(self) -> tuple[float, ...]:
        """X's winning chance before the first move and after each."""
        return tuple(look.chance for look in self.looks)

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of winning chance by each move, 0 to 1."""
        return tuple(max(look.value - after, 0.0) for look, after in self._changes())

    def turning_points(self, most: int = MAX_TURNING) -> list[TurningPoint]:
        """Return the moves with the largest losses, at ``most`` so many, in the game's order."""
        found = [
            TurningPoint(number, side, move, look.value, after, look.best, look.line)
            for number, (side, move, (look, after)) in enumerate(
                zip(self.record.sides, self.record.texts, self._changes(), strict=True), start=1
            )
            if look.value - after >= MIN_LOSS and move != look.best
        ]
        worst = sorted(found, key=lambda turn: turn.after - turn.before)[:most]
        return sorted(worst)

    def why(self, turn: TurningPoint) -> str:
        """Return a sentence on what the move gave away, or nothing if links do not tell it."""
        game, position = self.record.game, self.record.positions[turn.number - 1]
        return explain_mistake(game, position, *map(game.parse_move, (turn.played, turn.better)))

    def accuracy(self) -> dict[Side, float | None]:
        """Return the part of their chances that players kept on average, by side at the end.

        The first stone of an even game, which should be neither good nor bad, is left out; None
        for a side that made no other move.
        """
        kept: dict[Side, list[float]] = {side: [] for side in Side}
        record = self.record
        for number, loss in enumerate(self.losses, start=1):
            if number > 1 or not record.game.allows_swap:
                kept[record.side_of_mover(number, record.ply)].append(1.0 - loss)
        return {side: sum(each) / len(each) if each else None for side, each in kept.items()}

    def _changes(self) -> Iterator[tuple[PositionAnalysis, float]]:
        """Yield for each move the analysis before it, and its mover's chance after it."""
        record = self.record
        for number, (look, after) in enumerate(pairwise(self.looks), start=1):
            is_x = record.side_of_mover(number, number) is Side.X
            chance = after.chance if is_x else 1.0 - after.chance
            yield look, look.value if number == 1 and record.game.allows_swap else chance

    @property
    def document(self) -> dict[str, Any]:
        """The stored part of the review, as plain values."""
        return {
            "settled_at": self.settled_at,
            "proven_at": self.proven_at,
            "looks": self.looks,
        }


def load_review(record: Record[Any], document: Mapping[str, Any]) -> Review:
    """Return the review of a game of which :attr:`Review.document` was stored."""
    looks = (
        PositionAnalysis(_clamp_stored(chance), best, _clamp_stored(value), tuple(line))
        for chance, best, value, line in document["looks"]
    )
    return Review(record, tuple(looks), document["settled_at"], document.get("proven_at"))


def percent(chance: float) -> str:
    """Return a chance as text; 0 and 100 % are only for what is proven."""
    return f"{100 * _clamp_stored(chance):.0f} %"


def _clamp_stored(chance: float) -> float:
    """Return a stored chance as it is told; earlier versions stored samples nearer to certain."""
    return chance if chance in {0, 1} else clamp_chance(chance)


def analyse_positions(
    record: Record[Any],
    simulations: int = SIMULATIONS,
    *,
    seconds: float | None = None,
    threads: int = 1,
) -> Iterator[PositionAnalysis]:
    """Yield the analysis of the position before each move, and of that after the last.

    ``threads`` search so many positions at a time, and find the same. With ``seconds`` each
    position is searched for so long, in place of ``simulations``. Raises :class:`Refused` for a
    game that cannot be searched.
    """
    positions = record.positions
    effort = _effort(simulations, seconds)

    def look(ply: int) -> PositionAnalysis:
        return _look(record.game, positions[ply], effort._replace(seed=ply))

    if threads == 1:
        yield from map(look, range(len(positions)))
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(look, range(len(positions)))


def review_of(
    record: Record[Any],
    looks: Iterable[PositionAnalysis],
    simulations: int = SIMULATIONS,
    *,
    seconds: float | None = None,
) -> Review:
    """Return the review made of these analyses, one for each position, and of proofs.

    What they accuse a move of is looked at once more, as :func:`analyse_positions` looks.
    """
    ends = (settled(record.game, position) for position in record.positions)
    certain = (ply for ply, end in enumerate(ends) if end and end.is_certain)
    found = [*looks]
    _confirm(record, found, _effort(simulations, seconds))
    proven_at = _prove_back(record, found)
    return Review(record, tuple(found), next(certain, None), proven_at)


def _effort(simulations: int, seconds: float | None) -> Effort:
    return Effort(simulations) if seconds is None else Effort(ENDLESS, seconds=seconds)


def _confirm(record: Record[Any], looks: list[PositionAnalysis], effort: Effort) -> None:
    """Lower the values of moves that a hint or closer looks contradict.

    A hint would have been the move played; a look is after that move and after the better one.
    """
    closer = effort._replace(simulations=min(CLOSER * effort.simulations, ENDLESS))
    for turn in Review(record, tuple(looks), None).turning_points(most=record.ply):
        at, is_x = turn.number - 1, turn.side is Side.X
        lost = turn.before - turn.after
        if advise(record.game, record.positions[at], HINT_LEVEL).move == record.moves[at]:
            lost = 0.0
        elif SWAP.text not in (turn.better, turn.played):
            better, played = (
                _look(record.game, position, closer._replace(seed=at)).chance
                for position in (_after(record, at, looks[at]), record.positions[turn.number])
            )
            lost = better - played if is_x else played - better
        value = min(turn.before, round(max(turn.after + lost, 0.0), 3))
        looks[at] = looks[at]._replace(value=value)


def _after(record: Record[Any], ply: int, look: PositionAnalysis) -> Position:
    return record.game.play(record.positions[ply], record.game.parse_move(look.best))


def _prove_back(record: Record[Any], looks: list[PositionAnalysis]) -> int | None:
    """Return the number of moves from which on the winner's win is proven, and set their chances.

    A position is as good as the next one if the winner has made the move between them.
    """
    winner = record.outcome.winner if record.outcome else None
    if winner is None:
        return None
    searched, found, of_x = [*looks], None, float(winner is Side.X)
    for ply in range(record.ply, 0, -1):
        position = record.positions[ply]
        is_won = found is not None and position.to_move is winner
        is_sure = is_won or looks[ply].chance == of_x
        if record.game.may_swap(position) or not (
            is_sure or _is_proven(record.game, position, winner)
        ):
            break
        found = ply
        looks[ply] = looks[ply]._replace(chance=of_x, value=float(position.to_move is winner))
    if found is not None:
        looks[found - 1] = _before_proof(record, found - 1, searched)
    return found


def _before_proof(record: Record[Any], ply: int, looks: list[PositionAnalysis]) -> PositionAnalysis:
    """Return the look before the move that is proven to lose: a proof alone makes no mistake.

    The value is 0 if the move that was thought better is proven to lose as well.
    """
    look, winner = looks[ply], record.positions[ply].to_move.other
    after = looks[ply + 1].chance
    lost = look.value - (1.0 - after if winner is Side.X else after)
    if look.best == SWAP.text or (lost >= MIN_LOSS and look.best != record.texts[ply]):
        return look
    is_lost = _is_proven(record.game, _after(record, ply, look), winner)
    return look._replace(value=0.0 if is_lost else max(lost, 0.0))


def _is_proven(game: Game, position: Position, winner: Side) -> bool:
    proof = prove(game, position, PROOF_DEPTH, PROOF_EFFORT)
    if proof is None:
        return Search(game, position, Effort(CLOSER * SIMULATIONS)).analysis().winner is winner
    return proof.winner is winner


def _look(game: Game, position: Position, effort: Effort) -> PositionAnalysis:
    """Return the result of a search in a position, or of the game if it ended there."""
    if game.is_over(position):
        outcome = game.outcome(position)
        winner = outcome.winner if outcome else None
        return PositionAnalysis(0.5 if winner is None else float(winner is Side.X))
    analysis = Search(game, position, effort).analysis()
    chance = round(analysis.chance, 3)  # as it is stored
    of_x = chance if position.to_move is Side.X else round(1.0 - chance, 3)
    if game.may_swap(position) and chance < 0.5:
        return PositionAnalysis(of_x, SWAP.text, round(1.0 - chance, 3), (SWAP.text,))
    if game.allows_swap and game.is_first_turn(position):
        of_x = 0.5  # the opponent will choose the better side of any first stone
    line = tuple(move.text for move in analysis.line)
    return PositionAnalysis(of_x, analysis.best.move.text, chance, line)


def review_lines(review: Review, names: Mapping[Side, str | None], width: int) -> list[str]:
    """Return a review in words; ``names`` are those of the sides at the end.

    No line of a turning point is wider than ``width``.
    """
    turns = review.turning_points()
    lines = [TURNING_POINTS if turns else "No serious mistakes."]
    lines += [f"  {line}" for turn in turns for line in _turn_lines(turn, review.why(turn), width)]
    lines += _proof_lines(review)
    lines += _settled_lines(review)
    told = [
        f"{side}{f' ({names[side]})' if names[side] else ''} {100 * kept:.0f} %"
        for side, kept in review.accuracy().items()
        if kept is not None
    ]
    return [*lines, f"Accuracy: {', '.join(told)}."] if told else lines


def review_document(review: Review) -> dict[str, Any]:
    """Return a review for programs, with X's chance at first and after each move."""
    return {
        "chances": [round(chance, 3) for chance in review.chances],
        "turning_points": [
            {
                **turn._asdict(),
                "before": round(turn.before, 3),
                "after": round(turn.after, 3),
                "why": review.why(turn),
            }
            for turn in review.turning_points()
        ],
        "settled_after": review.settled_at,
        "proven_after": review.proven_at,
        "accuracy": {
            side: None if kept is None else round(kept, 3)
            for side, kept in review.accuracy().items()
        },
    }


def curve_words(review: Review) -> str:
    """Return the curve of X's chances in words, for a screen reader."""
    [first, *later] = map(percent, review.chances)
    told = [f"Winning chance of X, at the start: {first}."]
    for number, chance in enumerate(later, start=1):
        if number % PLAIN_STEP == 0 or number == len(later):
            told.append(f"After move {number}: {chance}.")
    return "\n".join(told)


def _turn_lines(turn: TurningPoint, why: str, width: int) -> list[str]:
    chances = f"{percent(turn.before)} -> {percent(turn.after)}"
    further = " ".join(turn.line[1:MAX_LINE])
    going_on = f", then {further}" if further else ""
    text = (
        f"Move {turn.number}: {turn.side} {move_phrase(turn.played)}, {chances}."
        f"{f' {why}' if why else ''} Better: {turn.better}{going_on}."
    )
    return wrap(text, width - 2, subsequent_indent="  ")


def _proof_lines(review: Review) -> Iterator[str]:
    """Yield after which move the win was proven, with the one that was thought better."""
    at, record = review.proven_at, review.record
    if at is None or record.outcome is None:
        return
    look, side, played = review.looks[at - 1], record.sides[at - 1], record.texts[at - 1]
    is_better = side is not record.outcome.winner and look.value and look.best != played
    better = f" Better: {look.best}." if is_better else ""
    win = f"{record.outcome.winner} is proven to win"
    yield f"After move {at}, {side} {move_phrase(played)}, {win}.{better}"


def _settled_lines(review: Review) -> Iterator[str]:
    at = review.settled_at
    end = None if at is None else settled(review.record.game, review.record.positions[at])
    if end is not None:
        yield f"Certain after move {at}: {end.words}"
