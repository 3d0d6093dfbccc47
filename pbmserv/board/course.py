"""A game as the board shows it, wherever it is played: moves, players, what goes with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from pbmserv.board.local_game import LocalGame
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Move, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Outcome
from pbmserv.render.view import Status, View, closing_words


@dataclass(frozen=True)
class Course:
    """A game with all its positions; ``first`` and ``second`` are the names of who began as which.

    ``mine`` are the sides whose turns are made here. What ``is_stored`` is played on a server: a
    move cannot be taken back without being asked. ``offer`` is what the opponent asks for, and
    ``answers`` the words that accept it; ``beside`` are lines about clocks and plans, ``said``
    what was said at the board. ``text`` is a task to be solved, ``going_on`` what Enter does
    where it leads on. ``look`` differs after each change of a board of the server, ``document`` is
    what programs are told of it, ``chances`` are those of X that an analysis has found.
    """

    game: Game
    title: str
    first: str
    second: str
    moves: tuple[Move, ...]
    positions: tuple[Position, ...]
    mine: frozenset[Side] = frozenset()
    outcome: Outcome | None = None
    closing: str = ""
    is_stored: bool = False
    may_think: bool = True
    is_waiting: bool = False
    offer: str = ""
    answers: str = ""
    beside: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    text: str = ""
    going_on: str = ""
    look: tuple[int, ...] = field(default=(), compare=False)
    chances: tuple[float, ...] = ()
    document: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @cached_property
    def seats(self) -> dict[Side, str]:
        """Who plays which side by now."""
        return self.seats_after(len(self.moves))

    def seats_after(self, ply: int) -> dict[Side, str]:
        """Return who played which side after so many turns."""
        if SWAP in self.moves[:ply]:
            return {Side.X: self.second, Side.O: self.first}
        return {Side.X: self.first, Side.O: self.second}

    def view(self, ply: int) -> View:
        """Return the game after so many turns, as it is shown."""
        is_now = ply == len(self.moves)
        outcome = self.outcome if is_now else None
        status: Status = "running"
        if outcome is not None:
            status = "drawn" if outcome.winner is None else "won"
        return View(
            game=self.game,
            title=self.title,
            number=None,
            names={side: name or None for side, name in self.seats_after(ply).items()},
            moves=tuple(move.text for move in self.moves[:ply]),
            movers=tuple(position.to_move for position in self.positions[:ply]),
            position=self.positions[ply],
            status=status,
            outcome=outcome,
            closing=self.closing if is_now else "",
        )


def course_of_local(local: LocalGame) -> Course:
    """Return a game at one keyboard."""
    names = ("", "")
    mine = frozenset(Side)
    if local.level is not None and local.computer_side is not None:
        computer = f"computer, {local.level.name} ({local.level.number})"
        names = (computer, "you") if local.computer_begins else ("you", computer)
        mine = frozenset({local.computer_side.other})
    return Course(
        local.game,
        local.game.title,
        *names,
        local.moves,
        local.positions,
        mine=mine,
        outcome=local.outcome,
        closing=local.closing,
        is_waiting=local.thinks is not None,
    )


def course_of_record(record: Record) -> Course:
    """Return a finished or unfinished game to be looked through."""
    game = record.game
    moves = tuple(game.parse_move(text) for text in record.moves)
    title = f"{game.title} Board {record.board}" if record.board else game.title
    return Course(
        game,
        title,
        record.first,
        record.second,
        moves,
        positions_after(game, moves),
        outcome=record.outcome,
        closing=closing_words(record.outcome, record.seats),
    )


def positions_after(game: Game, moves: tuple[Move, ...]) -> tuple[Position, ...]:
    """Return the positions before and after each of these moves; raises :class:`IllegalMove`."""
    return tuple(accumulate(moves, game.play, initial=game.start()))
