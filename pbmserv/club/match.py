"""A match: one board of two players, with its turns, its seats, and the position they lead to."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from pbmserv.club.player import Seat
from pbmserv.club.rating import Shift
from pbmserv.engine.game import Game
from pbmserv.engine.moments import DAY
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.record import Record, Status, status_of
from pbmserv.engine.score import Outcome, Points, Reason
from pbmserv.errors import Fault, NotFound, PbmservError

STONES_TO_RATE = 3
"""Stones that each side must have placed before an agreed end counts for ratings."""

FIRST_NUMBER = 101
"""The number of the first board of each game."""


class OfferKind(Enum):
    """The kind of an offer; the values are stored."""

    DRAW = "draw"
    UNDO = "undo"
    RESULT = "result"


class Offer(NamedTuple):
    """A pending draw, undo or result; its maker counts as accepting."""

    kind: OfferKind
    player_id: int
    result: str = ""
    """The proposed result, as players write it."""
    moves: tuple[str, ...] = ()
    """The moves that an undo would take back, the last of the board."""

    @property
    def name(self) -> str:
        """The thing offered, as a noun: ``the undo``, ``the result 26-25``."""
        return f"the {self.kind.value} {self.result}".rstrip()

    @property
    def answers(self) -> str:
        """The words with which the opponent answers."""
        return " ".join(filter(None, ("accept", self.result))) + " or reject"


class MatchEnd(NamedTuple):
    """How and when a match ended."""

    outcome: Outcome
    at: int


class Origin(NamedTuple):
    """The beginning of a match: the first ``ply`` turns of the board ``number`` of its game."""

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
    """A match; its players call it a board.

    ``first`` began as X and ``second`` as O; the turns lead to the :attr:`record`. ``revision``
    counts every change of the match and never falls, not even by an undo. Times are whole seconds
    since 1970, UTC.
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
    is_rated: bool = True
    is_imported: bool = False
    revision: int = 0
    offer: Offer | None = None
    submissions: dict[int, str] = field(default_factory=dict)
    """The move that each player has submitted but not confirmed, by player id."""
    recorded: tuple[str, str] = ("", "")
    """The names in the record of an imported game, of who moved first and second."""
    origin: Origin | None = None
    """The board and moment from which the match began, None for the empty board."""
    shift: Shift | None = None
    """What the handicap was thought to be worth to X when ``-even`` chose it; None without one."""
    former: MatchEnd | None = None
    """How it had ended before the operator removed it, if it had."""
    known: Record[Seat] | None = field(default=None, repr=False, compare=False)
    """The game after the first turns, if it is known already, with their digests compared."""

    @cached_property
    def record(self) -> Record[Seat]:
        """The game so far, replayed.

        Raises :class:`Fault` if a stored move or digest does not fit: the match is damaged.
        """
        known = self.known or Record(self.game, self.first, self.second)
        players = self.first, self.second
        is_whole = len(known.moves) == len(self.turns)
        if is_whole and (known.outcome, known.first, known.second) == (self.outcome, *players):
            return known
        moves, positions = [*known.moves[: self.ply]], [*known.positions[: self.ply + 1]]
        for number, turn in enumerate(self.turns[len(moves) :], start=len(moves) + 1):
            try:
                moves.append(self.game.parse_move(turn.text))
                positions.append(self.game.play(positions[-1], moves[-1]))
            except PbmservError as error:
                raise self._damaged(number, error.message) from error
            if positions[-1].digest() != turn.digest:
                raise self._damaged(number, "its digest differs")
        return Record(self.game, *players, tuple(moves), self.outcome, tuple(positions))

    @cached_property
    def status(self) -> Status:
        """How the match stands."""
        return status_of(self.outcome)

    @property
    def is_running(self) -> bool:
        """Whether moves can still be made."""
        return self.outcome is None

    @property
    def is_removed(self) -> bool:
        """Whether the match counts as never played: declined, or removed by the operator."""
        return self.status is Status.REMOVED

    @property
    def is_agreed_early(self) -> bool:
        """Whether the players agreed on the end before it could count for ratings."""
        if self.outcome is None or self.outcome.reason is not Reason.AGREEMENT:
            return False
        return min(len(self.position.cells_of(side)) for side in Side) < STONES_TO_RATE

    @property
    def title(self) -> str:
        """The players' name for the match: ``Star Board 101``."""
        return f"{self.game.title} Board {self.number}"

    @property
    def ply(self) -> int:
        """The number of turns made, swap and passes included."""
        return len(self.turns)

    @property
    def own_ply(self) -> int:
        """The number of turns made in this match itself, without those of its origin."""
        return self.ply - (self.origin.ply if self.origin else 0)

    @property
    def is_self_play(self) -> bool:
        """Whether one player sits on both sides."""
        return self.first.player_id == self.second.player_id

    @cached_property
    def position(self) -> Position:
        """The position now."""
        return self.record.position

    @cached_property
    def seats(self) -> dict[Side, Seat]:
        """The player of each side now."""
        return self.record.seats

    @cached_property
    def next_seat(self) -> Seat | None:
        """The player who is to move, None when the match has ended."""
        return self.seats[self.position.to_move] if self.is_running else None

    def robot_to_act(self, now: int) -> Seat | None:
        """Return the robot that must answer an offer or move, None if that is up to a person."""
        # It waits for an answer to its own offer for a day before it plays on.
        made, mover = self.offer, self.next_seat
        if mover is None:
            return None
        if made is not None:
            for seat in (self.first, self.second):
                if seat.is_robot and seat.player_id != made.player_id:
                    return seat
        waits = made is not None and made.player_id == mover.player_id
        is_late = not waits or now >= self.changed_at + DAY
        return mover if mover.is_robot and is_late else None

    @property
    def recorded_words(self) -> tuple[str, ...]:
        """The names that the record of an imported game gives its players, in a sentence."""
        if not any(self.recorded):
            return ()
        pairs = zip((self.first, self.second), self.recorded, strict=True)
        told = [f"{seat.userid} is {name}" for seat, name in pairs if name]
        return (f"In the record {' and '.join(told)}.",)

    @property
    def result(self) -> str:
        """One sentence on how the match ended, or that it is running."""
        return self.record.result_sentence(self.title) or f"{self.title} is running."

    def after(self, ply: int | None) -> Record[Seat]:
        """Return the game after ``ply`` turns; None for now, a negative number counts back.

        Raises :class:`NotFound` if fewer turns were made.
        """
        if ply is None:
            return self.record
        return self.record.after(resolve_ply(ply, self.ply, self.title))

    def side_of(self, player_id: int) -> Side:
        """Return this player's side, the side to move if the player has both."""
        if self.is_self_play:
            return self.position.to_move
        return next(side for side, seat in self.seats.items() if seat.player_id == player_id)

    def seat_of(self, player_id: int) -> Seat | None:
        """Return this player's seat, or None for a stranger."""
        seats = (self.first, self.second)
        return next((seat for seat in seats if seat.player_id == player_id), None)

    @property
    def offer_recipient(self) -> Seat | None:
        """The player who must answer the pending offer, if there is one."""
        return offer_recipient_of(self.offer, (self.first, self.second))

    def _damaged(self, number: int, why: str) -> Fault:
        return Fault(
            f"The record of {self.game.title} board {self.number} is damaged at move {number}: "
            f"{why}",
            code="damaged-match",
            hint="No move was played. Ask the operator to run pbmserv admin check.",
        )


def resolve_ply(ply: int | None, made: int, title: str) -> int:
    """Return how many of the turns made are meant: all for None, counted back if negative.

    Raises :class:`NotFound` if fewer turns were made on the board called ``title``.
    """
    count = made if ply is None else ply if ply >= 0 else made + ply
    if not 0 <= count <= made:
        raise NotFound(
            f"{title} has {made} move{'' if made == 1 else 's'} so far.",
            code="no-such-move",
            hint=f"Choose a number from 0 to {made}." if made else "No moves yet.",
        )
    return count


def restore_moves(
    match: Match, moves: tuple[Move, ...], outcome: Outcome | None, now: int
) -> Match:
    """Return a match without moves as if these had been played, and had led to ``outcome``.

    Its ``outcome`` is None if it goes on. Raises :class:`IllegalMove`.
    """
    record = Record(match.game, match.first, match.second, moves, outcome)
    turns = [
        Turn(move.text, position.digest(), record.mover(number).player_id, now)
        for number, (move, position) in enumerate(zip(moves, record.positions[1:], strict=True), 1)
    ]
    return replace(
        match,
        turns=tuple(turns),
        outcome=outcome,
        revision=match.revision + 1,
        changed_at=now,
        known=record,
    )


def offer_recipient_of(pending: Offer | None, seats: Iterable[Seat]) -> Seat | None:
    """Return the player who must answer an offer: not its maker, unless they play themselves."""
    if pending is None:
        return None
    return min(seats, key=lambda seat: seat.player_id == pending.player_id)


class MatchSummary(NamedTuple):
    """A match as one line of a table, read without replaying it."""

    id: int
    game: str
    spec: str
    number: int
    seats: dict[Side, Seat]
    status: Status
    ply: int
    to_move: Side | None
    winner: Side | None
    reason: str | None
    points: Points | None
    started_at: int
    changed_at: int
    offer: Offer | None = None

    @property
    def offer_recipient(self) -> Seat | None:
        """The player who must answer the pending offer, if there is one."""
        return offer_recipient_of(self.offer, self.seats.values())

    @property
    def next_seat(self) -> Seat | None:
        """The player who is to move, None when the match has ended."""
        return None if self.to_move is None else self.seats[self.to_move]
