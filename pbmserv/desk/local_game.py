"""A game on no board of the server, against the computer or between two people: a value."""

from dataclasses import dataclass, replace

from pbmserv.club.player import Seat
from pbmserv.computer.level_list import Level, find_level
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side, move_phrase
from pbmserv.engine.record import Record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import IllegalMove, Misunderstood
from pbmserv.render.view import View

PERSON = "you"
COMPUTER = "computer-"
"""Begins the computer's name in a record, before its level."""
PEOPLE = ("player1", "player2")
MIN_RESIGNED = 2
"""Before so many moves a game is not resigned, by nobody's rules."""
READER = -1
"""The number of the person who plays, as the view of a game has one; no account has it."""


@dataclass(frozen=True)
class LocalGame:
    """A game and the computer's ``level``, None between two people; the record has their names."""

    record: Record[str]
    level: Level | None

    @property
    def game(self) -> Game:
        """The rules of the game."""
        return self.record.game

    @property
    def position(self) -> Position:
        """The position now."""
        return self.record.position

    @property
    def computer_side(self) -> Side | None:
        """The side that the computer has by now; None between two people."""
        name = None if self.level is None else _name(self.level)
        return next((side for side, who in self.record.seats.items() if who == name), None)

    @property
    def thinks(self) -> Level | None:
        """The level of the computer where it is to move."""
        side = self.record.to_move
        return self.level if side is not None and side is self.computer_side else None

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to go on with."""
        return bool(self.record.moves) and self.record.outcome is None

    @property
    def view(self) -> View:
        """The game as it is shown to the person who plays."""
        game, level = self.record.game, self.level
        if level is None:
            players = [Seat(READER, "")] * 2
        else:
            computer = Seat(0, f"computer, {level.title}")
            players = [computer, Seat(READER, PERSON)]
            if self.record.second == _name(level):
                players.reverse()
        record = self.record.with_players(*players)
        return View(record, game.title, closing=self.closing, reader=READER)

    @property
    def closing(self) -> str:
        """How the game ended in a sentence, nothing while it goes on."""
        outcome = self.record.outcome
        if outcome is None:
            return ""
        if self.level is None:
            return self.record.result_sentence(victory=f"{outcome.winner} wins")
        is_lost = outcome.winner is self.computer_side
        return self.record.result_sentence(victory="The computer wins" if is_lost else "You win")

    def play(self, move: Move) -> "LocalGame":
        """Return the game after ``move``; raises :class:`IllegalMove`."""
        self._require_running()
        return replace(self, record=self.record.play(move))

    def answered(self, move: Move | None) -> "LocalGame":
        """Return the game after this turn of the computer, which resigns with None."""
        return self.play(move) if move else self._resigned(self.position.to_move)

    @property
    def deed(self) -> str:
        """The computer's last turn in words: ``plays C3``, ``passes``, ``swaps``, ``resigns``."""
        if self._has_resigned:
            return "resigns"
        done = move_phrase(self.record.moves[-1].text)
        return f"{done}: your stone now belongs to it" if self.record.ends_in_swap else done

    def resign(self) -> "LocalGame":
        """Return the game resigned by the person or the mover; raises :class:`IllegalMove`."""
        self._require_running()
        if self.record.ply < MIN_RESIGNED:
            raise IllegalMove(
                "You can resign only after the second move.",
                code="too-early",
            )
        computer = self.computer_side
        return self._resigned(computer.other if computer else self.position.to_move)

    def undo(self) -> "LocalGame":
        """Return the game before a person's last turn; raises :class:`IllegalMove` without one."""
        ended = self.record.outcome
        by_person = self.level is None or (ended and ended.winner is self.computer_side)
        if self._has_resigned and by_person:
            return replace(self, record=replace(self.record, outcome=None))
        earlier = self
        while earlier.record.moves:
            earlier = replace(earlier, record=earlier.record.after(earlier.record.ply - 1))
            if earlier.thinks is None:
                return earlier
        raise IllegalMove("There is no move to undo.", code="nothing-to-undo")

    @property
    def _has_resigned(self) -> bool:
        return self.record.outcome is not None and not self.record.outcome.reason.is_by_rules

    def _resigned(self, side: Side) -> "LocalGame":
        outcome = Outcome(side.other, Reason.RESIGNATION)
        return replace(self, record=replace(self.record, outcome=outcome))

    def _require_running(self) -> None:
        if self.record.outcome is not None:
            raise IllegalMove("The game is over.", code="game-over")


def new_game(game: Game, level: Level | None, *, computer_begins: bool) -> LocalGame:
    """Return a game before its first move."""
    players = PEOPLE
    if level is not None:
        computer = _name(level)
        players = (computer, PERSON) if computer_begins else (PERSON, computer)
    return LocalGame(Record(game, *players), level)


def resume(record: Record[str]) -> LocalGame:
    """Return the unfinished game of a record; raises :class:`Misunderstood`."""
    players = (record.first, record.second)
    labels = [who.removeprefix(COMPUTER) for who in players if who.startswith(COMPUTER)]
    levels = [level for label in labels if (level := find_level(label))]
    is_known = players == PEOPLE or len(levels) == 1
    if record.outcome is not None or not is_known:
        raise Misunderstood("Not an unfinished game.", code="bad-record")
    if not levels:
        return LocalGame(record, None)
    # A level may have been written down by the number that it had before.
    first, second = (_name(levels[0]) if who.startswith(COMPUTER) else who for who in players)
    return LocalGame(replace(record, first=first, second=second), levels[0])


def _name(level: Level) -> str:
    return f"{COMPUTER}{level.label}"
