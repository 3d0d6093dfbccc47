"""A game at one keyboard, against the computer or between two people: a value, no terminal."""

from dataclasses import dataclass, replace

from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.engine.game import Game
from pbmserv.engine.position import PASS, SWAP, Move, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import IllegalMove, Misunderstood

PERSON = "you"
PEOPLE = ("player1", "player2")
LEAST_RESIGNED = 2
"""Before so many moves a game is not resigned, by nobody's rules."""


@dataclass(frozen=True)
class LocalGame:
    """A game with all its positions, and who plays it; no method changes one.

    ``level`` is the computer's, None between two people; ``resigned`` the side that gave up.
    """

    game: Game
    level: Level | None
    computer_begins: bool
    moves: tuple[Move, ...]
    positions: tuple[Position, ...]
    resigned: Side | None = None

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def computer_side(self) -> Side | None:
        """The side that the computer has by now, a swap counted; None between two people."""
        if self.level is None:
            return None
        return Side.X if self.computer_begins != (SWAP in self.moves) else Side.O

    @property
    def thinks(self) -> Level | None:
        """The level of the computer where it is to move."""
        is_due = self.outcome is None and self.position.to_move is self.computer_side
        return self.level if is_due else None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if self.resigned is not None:
            return Outcome(self.resigned.other, Reason.RESIGNATION)
        return self.game.outcome(self.position)

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to go on with."""
        return bool(self.moves) and self.outcome is None

    @property
    def closing(self) -> str:
        """How the game ended in a sentence, nothing while it goes on."""
        outcome = self.outcome
        if outcome is None:
            return ""
        how = f"by {outcome.reason.words}."
        if outcome.winner is None:
            return f"A draw {how}"
        if self.level is None:
            return f"{outcome.winner} wins {how}"
        is_lost = outcome.winner is self.computer_side
        return f"The computer wins {how}" if is_lost else f"You win {how}"

    def play(self, move: Move) -> "LocalGame":
        """Return the game after ``move``; raises :class:`IllegalMove`."""
        if self.resigned is not None:
            raise IllegalMove("The game is over.", code="game-over")
        after = self.game.play(self.position, move)
        return replace(self, moves=(*self.moves, move), positions=(*self.positions, after))

    def answered(self, move: Move | None) -> "LocalGame":
        """Return the game after this turn of the computer, which resigns with None."""
        return self.play(move) if move else replace(self, resigned=self.position.to_move)

    @property
    def deed(self) -> str:
        """What the computer did last: ``plays C3``, ``passes``, ``swaps``, ``resigns``."""
        move = self.moves[-1] if self.moves else PASS
        if self.resigned is not None:
            return "resigns"
        if move.is_swap:
            return "swaps: your stone now belongs to it"
        return "passes" if move.is_pass else f"plays {move.text}"

    def resign(self) -> "LocalGame":
        """Return the game given up by the person, of two by the one to move.

        Raises :class:`IllegalMove`.
        """
        if self.outcome is not None:
            raise IllegalMove("The game is over.", code="game-over")
        if len(self.moves) < LEAST_RESIGNED:
            raise IllegalMove(
                "A game can be resigned after its second move.",
                code="too-early",
            )
        computer = self.computer_side
        return replace(self, resigned=computer.other if computer else self.position.to_move)

    def undo(self) -> "LocalGame":
        """Return the game before a person's last turn; raises :class:`IllegalMove`.

        What the computer answered goes with it. A resignation is such a turn.
        """
        if self.resigned not in {None, self.computer_side}:
            return replace(self, resigned=None)
        earlier = self
        while earlier.moves:
            earlier = replace(
                earlier,
                moves=earlier.moves[:-1],
                positions=earlier.positions[:-1],
                resigned=None,
            )
            if earlier.thinks is None:
                return earlier
        raise IllegalMove("There is no move to take back.", code="nothing-to-undo")

    def record(self) -> Record:
        """Return the record, whose names tell who played, and the computer's level."""
        first, second = PEOPLE
        if self.level is not None:
            computer = _name(self.level)
            first, second = (computer, PERSON) if self.computer_begins else (PERSON, computer)
        texts = tuple(move.text for move in self.moves)
        return Record(self.game, first, second, texts, self.outcome)


def new_game(game: Game, level: Level | None, *, computer_begins: bool) -> LocalGame:
    """Return a game before its first move."""
    return LocalGame(game, level, computer_begins, (), (game.start(),))


def resume(record: Record) -> LocalGame:
    """Return the game of which :meth:`LocalGame.record` made this; raises :class:`Misunderstood`.

    Only an unfinished game can go on.
    """
    first, second = _computer(record.first), _computer(record.second)
    is_known = (first is None) != (second is None) or (record.first, record.second) == PEOPLE
    if record.outcome is not None or not is_known:
        raise Misunderstood("Not an unfinished game.", code="bad-record")
    found = new_game(record.game, first or second, computer_begins=first is not None)
    for text in record.moves:
        found = found.play(record.game.parse_move(text))
    return found


def _computer(name: str) -> Level | None:
    return next((level for level in LEVELS if name == _name(level)), None)


def _name(level: Level) -> str:
    """Return what a record calls the computer."""
    return f"computer-{level.number}"
