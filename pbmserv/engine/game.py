"""The contract of every game: a frozen dataclass whose fields are its options.

A new game is one file in ``pbmserv/engine/games/`` with one subclass of :class:`Game`. It must
give ``name``, ``title``, ``source`` and ``examples``, a :attr:`~Game.board` and a
:meth:`~Game.score`; everything else has a default that holds for most games of the family.
Its docstring says on the help page what is played for; ``ending`` says there how the game ends.
``primer`` tells both in pictures on the club's page of the game.
Parsing of options, help page, pictures, storage and records follow without another line.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, cast

from pbmserv.engine.board import Board, Cell
from pbmserv.engine.cell_names import describe_cells
from pbmserv.engine.position import EMPTY, PASS, SWAP, Move, MoveKind, Position, Side
from pbmserv.engine.score import Outcome, Ownership, Points, Reason, Score
from pbmserv.engine.score_tables import Tables
from pbmserv.errors import IllegalMove, InvalidMove, invalid_value

PASS_WORDS = frozenset({"pass", "--", "-"})
JOINT = "+"
MAX_KOMI = 99
"""The largest komi, for either side."""
WHOLE_NUMBER = re.compile("[+-]?[0-9]{1,6}")


class GameOption(NamedTuple):
    """One option of a game, as players write it: ``-name=value``, or ``-name`` for a flag."""

    name: str
    default: Any
    help: str
    is_flag: bool
    """Whether the option is either given or not, without a value."""
    low: int | None = None
    high: int | None = None
    choices: tuple[Any, ...] = ()
    step: int | None = None
    """The difference of the sides of a board whose size may be written as both: 5x6."""

    @property
    def numbers(self) -> range | None:
        """The allowed whole numbers, None for any."""
        return None if self.low is None else range(self.low, cast("int", self.high) + 1)

    @property
    def values(self) -> str:
        """The allowed values in words."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        return "" if self.low is None else f"{self.low} to {self.high}"

    def check(self, value: Any) -> None:
        """Raise :class:`Misunderstood` unless ``value`` is allowed."""
        in_range = self.low is None or self.low <= value <= cast("int", self.high)
        if not in_range or (self.choices and value not in self.choices):
            raise invalid_value(self.name, str(value), self.values)

    def parse(self, text: str) -> Any:
        """Return the value that ``text`` stands for; raises :class:`Misunderstood`."""
        word = text.strip(" \t\r\n").lower() if text.isascii() else ""
        for choice in self.choices:
            if str(choice) == word:
                return choice
        sides = re.fullmatch("([0-9]{1,3})[x*]([0-9]{1,3})", word)
        if sides and abs(int(sides[1]) - int(sides[2])) == self.step:
            word = max(sides.groups(), key=int)
        if not self.choices and WHOLE_NUMBER.fullmatch(word):
            value = int(word)
            self.check(value)
            return value
        raise invalid_value(self.name, text, self.values or "a whole number")


def option(default: Any, text: str, *, is_settled: bool = False, **limits: Any) -> Any:
    """Declare an option as a field of a game, with the rest of its :class:`GameOption`.

    With ``is_settled`` its default depends on another option: :meth:`Game.dependent` has it.
    """
    about = {"default": default, "help": text, "is_flag": isinstance(default, bool), **limits}
    return field(default=None if is_settled else default, metadata=about)


def komi_option() -> Any:
    """Declare the option ``komi``, for a game that adds it to its points (``score.py``)."""
    text = "points given to O and taken from X"
    return option(0, text, low=-MAX_KOMI, high=MAX_KOMI)


class Example(NamedTuple):
    """A command of the help page, run by the tests: its answer must contain ``shows``."""

    line: str
    shows: str
    text: str = ""


class Step(NamedTuple):
    """What the rules in pictures say after ``ply`` moves, in at most three sentences."""

    ply: int
    title: str
    words: str


class Primer(NamedTuple):
    """The rules in pictures: moments of a small game on a board of this size.

    After ``turns`` moves they explain taking turns, after ``touching`` what a ``group`` is, in the
    same words for every game; ``steps`` explain what counts, the last one the final score.
    """

    size: int
    moves: str
    turns: int
    touching: int
    steps: tuple[Step, ...]
    group: str = "chain"


class Edge(NamedTuple):
    """A side of the board that chains are to touch: its cells, and its owner, None if shared.

    It has a name if a player must join it.
    """

    cells: tuple[Cell, ...]
    side: Side | None = None
    name: str = ""


@dataclass(frozen=True)
class Game(ABC):
    """The rules of one game with its options chosen; knows no match and no player.

    Positions are values: no method changes one.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    gist: ClassVar[str] = ""  # one sentence for people who choose a game
    source: ClassVar[str]
    examples: ClassVar[tuple[Example, ...]] = ()
    primer: ClassVar[Primer | None] = None
    aliases: ClassVar[tuple[str, ...]] = ()
    nicknames: ClassVar[tuple[str, ...]] = ()  # words that are answered with its name
    rules_version: ClassVar[int] = 1
    sgf_number: ClassVar[int | None] = None  # in the registry of SGF
    most_stones_a_turn: ClassVar[int] = 1
    ending: ClassVar[str] = (
        "The game ends when the board is full, or at once with two passes in succession; then the "
        "stones on the board are scored."
    )

    _: KW_ONLY  # options of every game, listed behind its own
    noswap: bool = option(False, "no swap: X keeps the first stone")

    def __post_init__(self) -> None:
        """Settle the options that are not given; raise :class:`Misunderstood` for a wrong value."""
        for choice in self.options():
            if not choice.is_flag and (value := getattr(self, choice.name)) is not None:
                choice.check(value)
        for name, usual, allowed, other in self.dependent():
            if (value := getattr(self, name)) is None:
                # The class is frozen for everybody else; a settled value keeps equal games equal.
                object.__setattr__(self, name, usual)
            elif value not in allowed:
                ends = dict.fromkeys((allowed[0], allowed[-1]))
                values = f"{' to '.join(map(str, ends))} with {other}"
                raise invalid_value(name, str(value), values)
        if self.noswap and not self.is_even:
            # It has no swap anyway: equal games are equal.
            object.__setattr__(self, "noswap", False)

    @property
    def option_values(self) -> dict[str, Any]:
        """The options by name."""
        return {choice.name: getattr(self, choice.name) for choice in self.options()}

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the options, and no cached values."""
        return self.option_values

    @classmethod
    @cache
    def options(cls) -> tuple[GameOption, ...]:
        """Return the options in the order of their declaration; the first sizes the board."""
        own_first = sorted(fields(cls), key=lambda each: bool(each.kw_only))
        return tuple(GameOption(f.name, **f.metadata) for f in own_first)

    # What a game must give

    @property
    @abstractmethod
    def board(self) -> Board:
        """The board, built once and shared."""

    @abstractmethod
    def score(self, position: Position) -> Score:
        """Return the score of ``position`` if the game ended now."""

    # What a game may change

    def dependent(self) -> Iterable[tuple[str, int, range, str]]:
        """Return the options that depend on another: name, default, what is allowed, the other."""
        return ()

    @property
    def is_even(self) -> bool:
        """Whether the options give neither side points or stones."""
        return True

    @property
    def allows_swap(self) -> bool:
        """Whether the second player may swap, which evens the game out: so ratings count."""
        # RULES: Games with -noswap, komi or handicap stones have none either
        return self.is_even and not self.noswap

    @property
    def symmetries(self) -> tuple[tuple[Cell, ...], ...]:
        """The permutations of the board's cells, identity left out, that keep every score."""
        return self.board.symmetries

    @property
    def is_colour_symmetric(self) -> bool:
        """Whether exchanging the colours of all stones exchanges the points and the winner."""
        return self.is_even

    @property
    def full_board_sum(self) -> int | None:
        """What the points of both sides add up to on every full board, or None if it varies."""
        return None

    def edges(self) -> tuple[Edge, ...]:
        """Return the sides of the board that chains are to touch, if the game has any."""
        return ()

    def goal_of(self, side: Side) -> str:
        """Return what this side has to do, "" if both have to do the same."""
        del side
        return ""

    def opening_stones(self) -> tuple[Cell, ...]:
        """Return the cells on which O has stones before the first turn."""
        return ()

    def stones_due(self, position: Position) -> int:
        """Return how many stones the next turn places."""
        # RULES: A turn is one stone of your own on any empty cell;
        return min(1, position.empty_count)

    def follow(self, position: Position, placed: Sequence[Cell]) -> object:
        """Return the trace of ``position``, whose last turn just placed stones on ``placed``.

        ``position.trace`` is still that of the position before.
        """
        del placed
        return position.trace

    def decided(self, position: Position) -> Outcome | None:
        """Return the outcome if the position has a winner before the board is full."""
        del position
        return None

    def ownership(self, position: Position) -> Ownership:
        """Return the owners of cells in ``position``, for pictures that show them."""
        del position
        return Ownership()

    def points_to_agree(self, score: Score) -> Points | None:
        """Return the points of a score that players may agree on, None if only a winner counts."""
        return score.points

    def tables(self) -> Tables | None:
        """Return the score of full boards as sums over chains, or None if it is no such sum.

        From the tables follow what the margin can still become, and the computer opponent; a
        game without them is played as well, but has neither.
        """
        return None

    def tie_winner(self, position: Position) -> Side | None:
        """Return who wins when both sides have the same score, or None for a draw."""
        del position
        return None

    def when_passed_out(self, position: Position) -> Outcome:
        """Return the outcome after two passes in succession."""
        # RULES: then the stones on the board are scored.
        return Outcome(self.score(position).winner, Reason.TWO_PASSES)

    # What follows from these

    @property
    def swap_mirror(self) -> tuple[Cell, ...]:
        """The cell to which each stone moves in programs whose swap moves the stone.

        It is mirrored if the sides have edges of their own; else it is the same cell.
        """
        board = self.board
        as_it_is = tuple(range(len(board)))
        if self.is_colour_symmetric:
            return as_it_is
        own = self.symmetries
        mirrors = (images for images in board.symmetries if images not in own and not images[0])
        return next(mirrors, as_it_is)

    def start(self) -> Position:
        """Return the position before the first turn."""
        stones = bytearray(len(self.board))
        for cell in self.opening_stones():
            stones[cell] = Side.O.stone
        return Position(bytes(stones))

    def outcome(self, position: Position) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        # RULES: at once with two passes in succession;
        # RULES: two passes in succession end it as a draw.
        if position.passes >= 2:
            return self.when_passed_out(position)
        # RULES: The game ends as soon as somebody has won;
        if (decision := self.decided(position)) is not None:
            return decision
        # RULES: The game ends when the board is full,
        if position.is_full:
            return Outcome(self.score(position).winner, Reason.FULL_BOARD)
        return None

    def may_end(self, position: Position, outcome: Outcome) -> bool:
        """Tell whether the rules, today's or those of an earlier version, end a game so."""
        return outcome == self.outcome(position)

    def is_over(self, position: Position) -> bool:
        """Tell whether the game has ended, without working out the score."""
        if position.passes >= 2 or EMPTY not in position.stones:
            return True
        return self.decided(position) is not None

    def parse_move(self, text: str) -> Move:
        """Return the move that ``text`` stands for on this board, legal or not.

        Raises :class:`InvalidMove`.
        """
        named = self.board.index.get(text)
        if named is not None:
            return Move(self.board.names[named], (named,))
        word = text.strip(" \t\r\n").lower() if text.isascii() else ""
        if word in PASS_WORDS:
            return PASS
        if word == "swap":
            return SWAP
        parts = word.split(JOINT) if 0 < len(word) <= 40 else [text]
        if len(parts) == 1:
            cell = self._find(parts[0])
            return Move(self.board.names[cell], (cell,))
        if len(parts) > self.most_stones_a_turn:
            raise InvalidMove(
                f"In {self.title} a turn is "
                f"{'one stone' if self.most_stones_a_turn == 1 else 'at most two stones'}.",
                code="invalid-move",
                hint=f"Write one cell, such as {self.board.names[0]}."
                if self.most_stones_a_turn == 1
                else f"Write two cells, such as {JOINT.join(self.board.names[:2])}.",
                about=text,
            )
        found = [None if part in PASS_WORDS else self._find(part) for part in parts]
        cells = tuple(cell for cell in found if cell is not None)
        if not cells:
            return PASS
        return self.placing(cells, passed=len(parts) - len(cells))

    def placing(self, cells: Sequence[Cell], passed: int = 0) -> Move:
        """Return the turn with stones on these cells, in this order, and ``passed`` given up."""
        names = [self.board.names[cell] for cell in cells]
        # RULES: or A50+- for one stone and a pass.
        return Move(JOINT.join(names + ["-"] * passed), tuple(cells), passed=passed)

    def play(self, position: Position, move: Move) -> Position:
        """Return the position after ``move``; raises :class:`IllegalMove`."""
        if self.is_over(position):
            raise IllegalMove("The game is over.", code="game-over")
        if move.kind is MoveKind.PASS:
            return position.after(move)
        if move.kind is MoveKind.SWAP:
            self.check_swap(position, move)
            return position.after(move)
        self._check_placing(position, move)
        after = position.after(move)
        return after.with_trace(self.follow(after, move.cells))

    def legal_moves(self, position: Position) -> Iterator[Move]:
        """Yield every legal move once: stones, then pass, then swap; none after the end."""
        if self.is_over(position):
            return
        empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
        due = self.stones_due(position)
        for cells in combinations(empty, due):
            yield self.placing(cells)
        if due == 2:
            for cell in empty:
                yield self.placing((cell,), passed=1)
        yield PASS
        if self.may_swap(position):
            yield SWAP

    def is_first_turn(self, position: Position) -> bool:
        """Tell whether nothing was played yet; of a position typed in only the stones tell it."""
        return position.ply == 0 and position.stones == self.start().stones

    def may_swap(self, position: Position) -> bool:
        """Tell whether the next turn may be swap: the second, after a stone, if at all."""
        # RULES: the second player may answer the first stone with swap
        # RULES: After a pass there is no swap.
        is_second = position.ply == 1 and position.empty_count >= len(position.stones) - 1
        return is_second and bool(position.last) and self.allows_swap

    def replay(self, texts: Iterable[str]) -> Position:
        """Return the position after these moves; raises InvalidMove or IllegalMove."""
        position = self.start()
        for text in texts:
            position = self.play(position, self.parse_move(text))
        return position

    def position_of(self, stones: Mapping[Side, Iterable[str]]) -> Position:
        """Return a position with stones on these named cells, for scoring games played elsewhere.

        Raises :class:`InvalidMove` for a name that is no cell and :class:`IllegalMove` for a cell
        that is named twice.
        """
        found = bytearray(len(self.board))
        for side, names in stones.items():
            for name in names:
                cell = self._find(name)
                if found[cell]:
                    raise IllegalMove(
                        f"The cell {self.board.names[cell]} is given twice.",
                        code="occupied",
                        hint="A cell can hold only one stone.",
                    )
                found[cell] = side.stone
        position = Position(bytes(found))
        return position.with_trace(self.trace_of(position))

    def trace_of(self, position: Position) -> object:
        """Return the trace of a position of which only the stones are known."""
        placed = [cell for cell, stone in enumerate(position.stones) if stone]
        return self.follow(Position(position.stones, last=tuple(placed)), placed)

    def _find(self, name: str) -> Cell:
        cell = self.board.find(name)
        if cell is None:
            raise InvalidMove(
                "Not a cell of this board.",
                code="invalid-move",
                hint=describe_cells(self.board.names, name),
                about=name.upper(),
            )
        return cell

    def _check_placing(self, position: Position, move: Move) -> None:
        due = self.stones_due(position)
        # RULES: One cell alone is refused while two are empty,
        if move.stone_count != due:
            first, second = self.board.names[:2]
            two = f"two stones, as in {first}{JOINT}{second}, or {first}{JOINT}- for one"
            what = "one stone" if due == 1 else two
            raise IllegalMove(f"This turn is {what}.", code="wrong-stone-count")
        if due > 1 and len(set(move.cells)) != len(move.cells):
            raise IllegalMove("Two stones cannot share a cell.", code="occupied")
        for cell in move.cells:
            if position.stones[cell] != EMPTY:
                raise IllegalMove(
                    f"There is already a stone on {self.board.names[cell]}.", code="occupied"
                )

    def check_swap(self, position: Position, move: Move) -> None:
        """Raise :class:`IllegalMove` for a swap that the position does not allow."""
        if move.is_swap and not self.may_swap(position):
            raise IllegalMove(
                "Swap is not allowed now.",
                code="swap-not-allowed",
                hint="You can swap only as the second move, after a first stone."
                if self.allows_swap
                else "This game is played without swap.",
            )
