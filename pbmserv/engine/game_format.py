"""What a format of games is, and how a game that somebody else wrote down is replayed here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import check_result, replay
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import Misunderstood, Refused

MAX_TEXT = 10_000_000
"""Characters of a text that are read."""


class ReadGame(NamedTuple):
    """A game that was read: its record, whose names are free text, and sentences about it.

    ``notes`` say what was left out or taken for granted. A game that begins with stones on the
    board has that position first in ``record.known``.
    """

    record: Record[str]
    notes: tuple[str, ...] = ()


class GameFormat(NamedTuple):
    """A form in which games are written down: its name after ``-format=``, "" if it is only read.

    ``recognise`` tells whether a text looks like it; without it, a text is read that no other
    format recognises. ``read`` returns the games of a text, at least one; ``write`` returns a
    game as text that ends in a line break, or raises :class:`Refused` for a game that cannot be
    written so. ``between`` stands between two games of one text.
    """

    name: str
    title: str
    recognise: Callable[[str], bool] | None = None
    read: Callable[[str], list[ReadGame]] | None = None
    write: Callable[[Record[str]], str] | None = None
    ending: str = "txt"
    between: str = ""


@dataclass
class ForeignGame:
    """A game as a format tells it: what is known of it, and its moves in our words.

    ``winner`` is the number of the player who won, 0 who moved first or 1, -1 for a draw, None if
    that is not told. ``start`` has the stones of a game that begins with some.
    """

    game: Game
    moves: Iterable[str]
    names: tuple[str, str] = ("", "")
    winner: int | None = None
    reason: Reason | None = None
    start: Position | None = None
    started: str = ""
    finished: str = ""
    notes: list[str] = field(default_factory=list)

    def replayed(self) -> ReadGame:
        """Return the game, ended by the rules or else as it is told.

        Raises :class:`Refused` for an illegal move, and for a result that its moves contradict.
        """
        known = () if self.start is None else (self.start,)
        record = replay(Record(self.game, *self.names, known=known), list(self.moves))
        if self.winner is not None:
            record = replace(record, outcome=self._outcome(record))
        record = replace(record, started=self.started, finished=self.finished)
        check_result(record)
        return ReadGame(record, tuple(self.notes))

    def _outcome(self, record: Record[str]) -> Outcome:
        by_rules = record.outcome
        sides = {number: side for side, number in record.with_players(0, 1).seats.items()}
        winner = None if self.winner in {None, -1} else sides[self.winner]
        if by_rules is not None and by_rules.winner is winner:
            return by_rules
        if self.reason is None:
            self.notes.append("It does not say how the game ended: a resignation is taken for it.")
        return Outcome(winner, self.reason or Reason.RESIGNATION)


def unreadable(title: str, why: str) -> Misunderstood:
    """Return the error for a text that looks like a format but cannot be read as one."""
    return Misunderstood(f"This looks like {title}, but {why}.", code="bad-record")


def wrong_game(name: str) -> Refused:
    """Return the error for a record of a game that nobody plays here."""
    return Refused(f"This is a record of {name}, which is not played here.", code="wrong-game")


def cannot_write(title: str, why: str) -> Refused:
    """Return the error for a game that a format does not have."""
    return Refused(f"{title} {why}.", code="no-such-format")
