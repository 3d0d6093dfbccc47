"""A session at a board as an immutable value: the view and the input so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from pbmserv.board.drawn_board import LINKS, OWNERSHIP, chain_of
from pbmserv.engine.board import Cell, Point
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Move, Position
from pbmserv.errors import PbmservError
from pbmserv.render.text import Style
from pbmserv.render.view import View

MARK = 2
"""The marks of two cells so many columns apart share one."""


class Intent(NamedTuple):
    """An action that the player requests: ``move F6``, ``say Good luck!``, ``undo``."""

    verb: str
    text: str = ""


class Question(NamedTuple):
    """A question before an intent, which Enter confirms; ``other`` is a key and its intent."""

    text: str
    intent: Intent
    other: tuple[str, Intent] | None = None


class Prompt(NamedTuple):
    """A line that is being typed."""

    verb: str
    label: str
    text: str = ""


class Thoughts(NamedTuple):
    """The analysis of a position: X's winning chance, and lines about it."""

    chance: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Session:
    """What a player at a board sees and has begun; no method changes one.

    ``ply`` is the moment shown, None for now; ``tried`` are moves tried from there, None for none.
    ``marked`` are the first stones of a turn of several. ``page`` is the key of the open page, and
    ``scroll`` its first line. ``typed`` is the beginning of a cell's name, ``before`` the session
    before its letter. ``curve`` are the chances of X known so far; ``turned`` and ``turns`` say
    where the game turned.
    """

    now: View
    cursor: Cell
    ply: int | None = None
    tried: tuple[Move, ...] | None = None
    marked: tuple[Cell, ...] = ()
    shows: frozenset[str] = frozenset()
    question: Question | None = None
    prompt: Prompt | None = None
    page: str = ""
    scroll: int = 0
    typed: str = ""
    before: Session | None = None
    note: str = ""
    hovered: Cell | None = None
    picked: Cell | None = None
    thinks: bool = False
    rings: bool = False
    thoughts: Thoughts | None = None
    curve: tuple[float, ...] = ()
    turned: tuple[int, ...] = ()
    turns: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    style: Style = "ascii"
    intent: Intent | None = None

    @property
    def game(self) -> Game:
        """The rules of the game."""
        return self.now.game

    @property
    def count(self) -> int:
        """How many moves of the game are on the board, tried ones left out."""
        return self.now.record.ply if self.ply is None else self.ply

    @property
    def task(self) -> str:
        """What is beside the board: the task, or the remark about the moment shown."""
        return self.now.task or self.now.remark(self.count)

    @property
    def marks(self) -> tuple[tuple[Cell, str], ...]:
        """The characters on cells of the last moment of an example, while it is shown."""
        return self.now.marks if not self.tried and self.count == self.now.record.ply else ()

    @property
    def is_now(self) -> bool:
        """Whether the board shows the game as it stands."""
        return self.tried is None and self.ply is None

    @cached_property
    def view(self) -> View:
        """What is on the board, with players, turn and result."""
        view = self.now.after(self.count)
        return view.with_moves(self.tried) if self.tried else view

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.view.position

    @property
    def is_over(self) -> bool:
        """Whether the game is over in the position shown."""
        if self.is_now and self.now.record.outcome is not None:
            return True
        return self.game.is_over(self.position)

    @property
    def is_my_turn(self) -> bool:
        """Whether a turn can be made here now."""
        return self.now.is_my_turn

    @property
    def may_place(self) -> bool:
        """Whether Enter could place a stone on an empty cell."""
        return not self.is_over and (self.tried is not None or (self.is_now and self.is_my_turn))

    @property
    def chain(self) -> frozenset[Cell]:
        """The chain under the cursor, where it is to be shown."""
        if "chain" not in self.shows:
            return frozenset()
        return chain_of(self.game, self.position, self.pointed)

    @property
    def pointed(self) -> Cell:
        """The cell that is asked about: under the mouse, else under the cursor."""
        return self.cursor if self.hovered is None else self.hovered

    @property
    def shown(self) -> frozenset[str]:
        """The marks shown on the board; after the end also the owners."""
        is_final = self.is_now and self.now.record.outcome is not None and not self.shows
        return OWNERSHIP if is_final else self.shows if self.now.may_think else self.shows - {LINKS}

    @property
    def status(self) -> str:
        """The effect of Enter, in a sentence."""
        if self.question is not None:
            return self.question.text
        if self.page:
            result = self.now.closing if self.page == "g" else ""
            return f"{result} Enter goes back to the board.".strip()
        return self._enter_words()

    def _enter_words(self) -> str:
        if self.tried is not None:
            return self._placing_words("tries")
        if self.ply is not None:
            return f"Enter goes back from move {self.ply} to the game."
        if self.now.going_on:
            return self.now.going_on
        if self.now.record.outcome is not None:
            return f"{self.now.closing} Press Enter to try moves from here."
        if not self.is_my_turn:
            return self._waiting_words()
        return self._placing_words("places")

    def _waiting_words(self) -> str:
        now = self.now
        if not now.mine:
            on = "; [ goes back, ] goes on" if now.record.moves else ""
            return f"Enter tries moves from here{on}."
        if now.is_waiting:
            return "The computer is thinking; v tries moves meanwhile."
        return f"{now.record.seats[now.position.to_move]} is to move; Enter tries moves meanwhile."

    def _placing_words(self, verb: str) -> str:
        if self.is_over:
            return "The game would end here: [ goes back, Esc returns to the game."
        name, side = self.game.board.names[self.cursor], self.position.to_move
        turn = "Your move. " if self.is_now and len(self.now.mine) == 1 else ""
        if self.cursor in self.marked:
            return f"{turn}Enter unmarks {name}."
        if self.position.stones[self.cursor] != EMPTY:
            return f"{turn}There is a stone on {name}: choose an empty cell."
        due = self.game.stones_due(self.position)
        if due > len(self.marked) + 1:
            return f"{turn}Enter marks {name} as the first of {due} stones of {side}."
        names = [self.game.board.names[cell] for cell in (*self.marked, self.cursor)]
        return f"{turn}Enter {verb} {side} on {' and '.join(names)}."

    def with_view(self, now: View) -> Session:
        """Return the session with the game as it is now, keeping what was begun."""
        if now.title != self.now.title:
            return replace(new_session(now), style=self.style, rings=self.rings)
        before = self.before.with_view(now) if self.before is not None else None
        old, new = self.now.record, now.record
        if (new.moves, new.outcome) == (old.moves, old.outcome) and now.game == self.now.game:
            return replace(self, now=now, before=before)
        grown = new.moves[: old.ply] == old.moves
        ply = self.ply
        if self.tried is not None and ply is None:
            ply = old.ply
        is_kept = grown and ply is not None
        # Any other question was about the game as it stood.
        asks = self.question if self.question and self.question.intent.verb == "leave" else None
        after = replace(
            self,
            now=now,
            ply=ply if is_kept else None,
            tried=self.tried if is_kept else None,
            marked=(),
            before=before,
            question=asks,
            advice=(),
            curve=(),
            turned=(),
            turns=(),
        )
        return after.on_empty() if after.is_now and new.outcome is None else after

    def on_empty(self) -> Session:
        """Return the session with the cursor on the nearest empty cell that hides no mark."""
        stones, points = self.position.stones, self.game.board.points
        is_fine = stones[self.cursor] == EMPTY and self.cursor not in self.now.solving
        if is_fine or EMPTY not in stones:
            return self
        here, last = points[self.cursor], [points[cell] for cell in self.position.last]

        def farness(cell: Cell) -> tuple[bool, bool, float]:
            column, line = points[cell]
            covers = any(line == at.line and abs(column - at.column) <= MARK for at in last)
            is_told = cell in self.now.solving
            return is_told, covers, _distance(points[cell], here.column, here.line)

        empty = (cell for cell, stone in enumerate(stones) if stone == EMPTY)
        named = len(self.typed) > 1  # the name of the cell that is left
        kept = replace(self, typed="", before=None) if named else self
        return replace(kept, cursor=min(empty, key=farness))

    def say(self, note: str) -> Session:
        """Return the session with a note to be read."""
        return replace(self, note=note)

    def place(self) -> Session:
        """Return the session after Enter on the cell under the cursor."""
        if self.is_over:
            return self.say("The game has ended here: [ goes back through its moves.")
        if self.cursor in self.marked:
            return replace(self, marked=tuple(c for c in self.marked if c != self.cursor))
        if self.position.stones[self.cursor] != EMPTY:
            name = self.game.board.names[self.cursor]
            return self.say(f"There is already a stone on {name}.")
        cells = (*self.marked, self.cursor)
        if len(cells) < self.game.stones_due(self.position):
            return replace(self, marked=cells)
        return self.turn(self.game.placing(cells))

    def turn(self, move: Move) -> Session:
        """Return the session after a whole turn was chosen: tried, asked about, or intended."""
        try:
            self.game.play(self.position, move)
        except PbmservError as error:
            return self.say(error.message)
        if self.tried is not None:
            return replace(self, tried=(*self.tried, move), marked=()).on_empty()
        intent = Intent("move", move.text)
        if self.now.is_stored:
            number = self.now.record.ply + 1
            return self.ask(f"Play {move.text} as move {number}?", intent)
        return replace(self, intent=intent, marked=())

    def ask(self, text: str, intent: Intent, other: tuple[str, Intent] | None = None) -> Session:
        """Return the session with a question; Enter sets the intent."""
        return replace(self, question=Question(text, intent, other))


def new_session(now: View) -> Session:
    """Return the session of somebody who opens a game."""
    last = now.position.last
    session = Session(now, last[-1] if last else middle_of(now.game))
    return session.on_empty() if now.record.outcome is None else session


def middle_of(game: Game) -> Cell:
    """Return the cell nearest to the middle of the board."""
    points = game.board.points
    column = sum(point.column for point in points) / len(points)
    line = sum(point.line for point in points) / len(points)
    return min(range(len(points)), key=lambda cell: _distance(points[cell], column, line))


def _distance(point: Point, column: float, line: float) -> float:
    """Return how far a point of the board lies from a place on the screen."""
    return abs(point.column - column) + 2 * abs(point.line - line)
