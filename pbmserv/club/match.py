"""One contest between two players: its turns, its seats, and the position they lead to."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from pbmserv.club.player import Seat
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Position, Side
from pbmserv.engine.score import Outcome, Points, Reason, format_points
from pbmserv.errors import Fault, PbmservError

FIRST_NUMBER = 101
"""Boards are numbered per game from here."""


class MatchStatus(Enum):
    """How a match stands; the values are stored and printed."""

    RUNNING = "running"
    WON = "won"
    DRAWN = "drawn"
    REMOVED = "removed"


class OfferKind(Enum):
    """What the opponent is asked to agree to; the values are stored."""

    DRAW = "draw"
    UNDO = "undo"
    RESULT = "result"


class Offer(NamedTuple):
    """A pending draw, undo or result; its maker counts as accepting."""

    kind: OfferKind
    player_id: int
    result: str = ""
    """The result that is proposed, as players write it."""

    @property
    def words(self) -> str:
        """The thing offered, in a sentence."""
        match self.kind:
            case OfferKind.DRAW:
                return "a draw"
            case OfferKind.UNDO:
                return "to take back the last move"
            case OfferKind.RESULT:
                return f"the result {self.result}"

    @property
    def answers(self) -> str:
        """The words with which the opponent answers it."""
        return " ".join(filter(None, ("accept", self.result))) + " or reject"


class Ending(NamedTuple):
    """How and when a match ended."""

    outcome: Outcome
    at: int


class Origin(NamedTuple):
    """Where a match began: with the first ``ply`` turns of the board ``number`` of its game."""

    number: int
    ply: int


class Turn(NamedTuple):
    """One recorded turn: the move's canonical text and the digest of the position after it."""

    text: str
    digest: str
    player_id: int
    played_at: int


@dataclass(frozen=True)
class Match:
    """One contest with a number; its players call it a board.

    ``first`` began as X and ``second`` as O; whose seat is whose now follows from the turns.
    ``revision`` counts every change of the match and never falls, not even by an undo. Times are
    whole seconds since 1970, UTC.
    """

    id: int
    game: Game
    number: int
    first: Seat
    second: Seat
    started_at: int
    changed_at: int
    turns: tuple[Turn, ...] = ()
    outcome: Outcome | None = None
    is_removed: bool = False
    is_rated: bool = True
    is_imported: bool = False
    revision: int = 0
    offer: Offer | None = None
    submissions: dict[int, str] = field(default_factory=dict)
    """The move that each player has submitted but not confirmed, by player id."""
    origin: Origin | None = None
    """The board and moment that the match began from, if it was not the empty board."""
    former: Ending | None = None
    """How it had ended before the operator removed it, if it had."""
    replayed: tuple[Position, ...] = field(default=(), repr=False, compare=False)
    """The positions at the start and after the first turns, as far as they are known."""

    @property
    def status(self) -> MatchStatus:
        """How the match stands."""
        if self.is_removed:
            return MatchStatus.REMOVED
        if self.outcome is None:
            return MatchStatus.RUNNING
        return MatchStatus.DRAWN if self.outcome.winner is None else MatchStatus.WON

    @property
    def is_running(self) -> bool:
        """Whether moves can still be made."""
        return self.outcome is None and not self.is_removed

    @property
    def title(self) -> str:
        """How players call the match: ``Star Board 101``."""
        return f"{self.game.title} Board {self.number}"

    @property
    def ply(self) -> int:
        """How many turns were made, swap and passes included."""
        return len(self.turns)

    @property
    def own_ply(self) -> int:
        """How many turns were made at this match itself."""
        return self.ply - (self.origin.ply if self.origin else 0)

    @property
    def is_self_play(self) -> bool:
        """Whether one player sits on both sides."""
        return self.first.player_id == self.second.player_id

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The position at the start and after every turn, replayed.

        Raises :class:`Fault` if a stored move or digest does not fit: the record is damaged.
        """
        known = max(1, len(self.replayed))
        if known > self.ply:
            return self.replayed or (self.game.start(),)
        positions = [*self.replayed] or [self.game.start()]
        for number, turn in enumerate(self.turns[known - 1 :], start=known):
            try:
                move = self.game.parse_move(turn.text)
                positions.append(self.game.play(positions[-1], move))
            except PbmservError as error:
                raise self._damaged(number, error.message) from error
            if positions[-1].digest() != turn.digest:
                raise self._damaged(number, "its digest differs")
        return tuple(positions)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    def seats_after(self, ply: int) -> dict[Side, Seat]:
        """Return who sat where after ``ply`` turns."""
        # Only the second turn can be one.
        if ply > 1 and self.turns[1].text == SWAP.text:
            return {Side.X: self.second, Side.O: self.first}
        return {Side.X: self.first, Side.O: self.second}

    @cached_property
    def seats(self) -> dict[Side, Seat]:
        """Who sits where now."""
        return self.seats_after(self.ply)

    @cached_property
    def next_seat(self) -> Seat | None:
        """Who is to move, or None when the match has ended."""
        return self.seats[self.position.to_move] if self.is_running else None

    @property
    def winner(self) -> Seat | None:
        """Who has won, if anybody."""
        if self.outcome is None or self.outcome.winner is None:
            return None
        return self.seats[self.outcome.winner]

    @property
    def result(self) -> str:
        """How the match ended, in one sentence; that it runs, if it does."""
        if self.outcome is None:
            return f"{self.title} is running."
        if self.outcome.reason is Reason.REMOVED:
            return f"{self.title} was removed by the operator."
        if self.is_removed:
            return f"{self.title} was declined and removed."
        how = self.outcome.reason.words
        if self.outcome.points is not None:
            how += f", {format_points(self.outcome.points)}"
        if self.winner is None or self.outcome.winner is None:
            return f"{self.title} is a draw by {how}."
        return f"{self.winner.name} ({self.outcome.winner.value}) wins {self.title} by {how}."

    def side_of(self, player_id: int) -> Side:
        """Return this player's side; in a game against oneself, the side to move."""
        if self.is_self_play:
            return self.position.to_move
        return next(side for side, seat in self.seats.items() if seat.player_id == player_id)

    def seat_of(self, player_id: int) -> Seat | None:
        """Return this player's seat, or None for a stranger."""
        seats = (self.first, self.second)
        return next((seat for seat in seats if seat.player_id == player_id), None)

    def _damaged(self, number: int, why: str) -> Fault:
        return Fault(
            f"The record of {self.game.title} board {self.number} is damaged at move {number}: "
            f"{why}",
            code="damaged-match",
            hint="Nothing was played. The operator can find out more with pbmserv admin check.",
        )


def restored(match: Match, moves: Sequence[str], outcome: Outcome | None, now: int) -> Match:
    """Return a match without moves as if these had been played and had led to ``outcome``.

    None is for a match that goes on. Raises InvalidMove or IllegalMove.
    """
    position = match.game.start()
    positions = [position]
    turns = []
    seats = {Side.X: match.first, Side.O: match.second}
    for text in moves:
        move = match.game.parse_move(text)
        mover = seats[position.to_move]
        position = match.game.play(position, move)
        if move.is_swap:
            seats = {side: seats[side.other] for side in Side}
        positions.append(position)
        turns.append(Turn(move.text, position.digest(), mover.player_id, now))
    return replace(
        match,
        turns=tuple(turns),
        outcome=outcome,
        revision=match.revision + 1,
        changed_at=now,
        replayed=tuple(positions),
    )


def computers_of(match: Match) -> str:
    """Return the userids of the players that are computers, for records."""
    return " ".join(seat.userid for seat in (match.first, match.second) if seat.is_robot)


class MatchSummary(NamedTuple):
    """A match in one line, as it is stored: for tables, without replaying anything."""

    id: int
    game: str
    spec: str
    number: int
    seats: dict[Side, Seat]
    status: MatchStatus
    ply: int
    to_move: Side | None
    winner: Side | None
    reason: str | None
    points: Points | None
    started_at: int
    changed_at: int

    @property
    def next_seat(self) -> Seat | None:
        """Who is to move, if the match is running."""
        return None if self.to_move is None else self.seats[self.to_move]


def final_points(match: Match) -> Points | None:
    """Return the points of a finished match: those agreed on, else what stands on the board.

    None while it runs, if it was removed, or if the players agreed on a winner alone.
    """
    ended = match.outcome
    if ended is None or match.is_removed:
        return None
    if ended.points is not None or (ended.reason is Reason.AGREEMENT and ended.winner):
        return ended.points
    return match.game.score(match.position).points
