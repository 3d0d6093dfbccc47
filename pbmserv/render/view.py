"""A game at one moment: all that is shown of it, wherever it is played, and to whom."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from pbmserv.club.match import resolve_ply
from pbmserv.club.player import Seat
from pbmserv.club.written_text import clean
from pbmserv.engine.position import EMPTY, PASS, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Reason
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import named_options
from pbmserv.render.blocks import Block, BoardPicture, MoveList
from pbmserv.render.picture import LegendText
from pbmserv.render.score_lines import headline, prospect_lines, side_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pbmserv.club.match import Match, Offer
    from pbmserv.engine.board import Cell
    from pbmserv.engine.game import Game
    from pbmserv.engine.position import Move
    from pbmserv.engine.score import Points, Score
    from pbmserv.engine.settle import MarginBounds

MOVES_A_LINE = 4
MOVE_WIDTH = 17
NOBODY = Seat(0, "")


# Nothing compares or prints one, and what does takes time at every start.
@dataclass(frozen=True, eq=False, repr=False)
class View:
    """A board after some turns: seats, turn, score and result of that moment.

    ``number`` is None unless it is on a stored board; ``reader`` is a player's number, None for
    others. ``left`` is the time for the turn, ``beside`` has clocks, players and plans, ``said``
    the chat. ``task`` is solved by a stone on one of the cells ``solving``. ``going_on`` is what
    Enter does after the end, and ``losing`` the question before leaving. ``notes`` are sentences
    about a record, ``remarks`` what is said of moments of it, by the number of moves, 0 for all of
    it, and ``marks`` are characters on cells of its last moment.
    """

    record: Record[Seat]
    title: str
    number: int | None = None
    closing: str = ""
    offer: Offer | None = None
    reader: int | None = None
    left: str = ""
    beside: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    task: str = ""
    solving: frozenset[Cell] = frozenset()
    going_on: str = ""
    losing: str = ""
    notes: tuple[str, ...] = ()
    remarks: Mapping[int, str] = field(default_factory=dict)
    marks: tuple[tuple[Cell, str], ...] = ()

    @cached_property
    def game(self) -> Game:
        """The rules of the game."""
        return self.record.game

    @cached_property
    def position(self) -> Position:
        """The position on the board."""
        return self.record.position

    @cached_property
    def score(self) -> Score:
        """The position on the board."""
        return self.game.score(self.position)

    @cached_property
    def settled(self) -> MarginBounds | None:
        """The bounds of the margin, None when the game has ended."""
        return settled(self.game, self.position) if self.to_move else None

    @cached_property
    def to_move(self) -> Side | None:
        """The side whose turn it is, None when the game has ended."""
        return self.record.to_move

    @cached_property
    def is_open(self) -> bool:
        """Whether most of the board is empty and nothing is certain."""
        stones, bounds = self.position.stones, self.settled
        is_empty = bool(self.to_move) and 2 * stones.count(EMPTY) > len(stones)
        return is_empty and not (bounds is not None and bounds.is_certain)

    def remark(self, ply: int) -> str:
        """Return what is said of the moment after so many moves, else of the whole game."""
        return self.remarks.get(ply) or self.remarks.get(0, "")

    @property
    def names(self) -> dict[Side, str | None]:
        """The userids by side, None where nobody plays."""
        return {side: seat.userid or None for side, seat in self.record.seats.items()}

    @cached_property
    def names_shown(self) -> dict[Side, str]:
        """The names of the players with their marks, nothing where nobody plays."""
        return {side: seat.name for side, seat in self.record.seats.items()}

    def name_of(self, side: Side) -> str:
        """Return who plays ``side``, by name where there is one."""
        return self.names_shown[side] or side.value

    @property
    def mine(self) -> frozenset[Side]:
        """The sides whose turns the reader makes."""
        seats = self.record.seats.items()
        return frozenset(side for side, seat in seats if seat.player_id == self.reader)

    @property
    def is_my_turn(self) -> bool:
        """Whether the reader can make a turn now."""
        return self.to_move in self.mine

    @property
    def is_stored(self) -> bool:
        """Whether it is a board of the server: no move is taken back there without being asked."""
        return self.number is not None

    @property
    def may_think(self) -> bool:
        """Whether the computer may help: it helps nobody in a running game between people."""
        return not self.is_stored or self.to_move is None

    @property
    def is_waiting(self) -> bool:
        """Whether the reader waits for the computer at the same keyboard."""
        return bool(self.mine and self.to_move) and not (self.is_stored or self.is_my_turn)

    @property
    def offered(self) -> str:
        """What is offered, as the reader would fare by it; nothing where nothing is."""
        if self.offer is None:
            return ""
        from pbmserv.club.agreement import offer_sentence

        return offer_sentence(self.offer, self.record, self.reader)

    @property
    def offer_line(self) -> str:
        """What is offered, and by which words it is answered, unless it is the reader's offer."""
        if self.offer is None:
            return ""
        is_own = self.mine and not self.acceptance
        return f"{self.offered}{'' if is_own else f': {self.offer.answers}'}."

    @property
    def acceptance(self) -> str:
        """The words by which the reader accepts the offer, nothing where that is not for them."""
        if self.offer is None or not self.mine:
            return ""
        is_own = self.offer.player_id == self.reader and len(self.mine) < len(Side)
        return "" if is_own else f"accept {self.offer.result}".strip()

    def after(self, ply: int) -> View:
        """Return the game as it was after so many turns, with what belongs to that moment."""
        if ply == self.record.ply:
            return self
        return View(self.record.after(ply), self.title, self.number, notes=self.notes)

    def with_moves(self, moves: Iterable[Move]) -> View:
        """Return a view that goes on by moves only tried out; raises :class:`IllegalMove`."""
        record = self.record
        for move in moves:
            record = record.play(move)
        if record is self.record:  # what ended the game but for the rules is not tried
            record = replace(record, outcome=record.game.outcome(record.position))
        outcome, closing = record.outcome, ""
        if outcome is not None:
            end = outcome.clause(f"{outcome.winner} wins", "", record.points, outcome.reason.words)
            closing = f"The game would end here: {end}."
        title = self.title if self.number else self.game.title
        return View(record, f"Preview of {title}", closing=closing, notes=self.notes)


def view_match(match: Match, ply: int | None = None, reader: int | None = None) -> View:
    """Return the match after ``ply`` turns; offers are worded for the ``reader``."""
    record, notes = match.after(ply), match.recorded_words
    if record is not match.record:
        return View(record, _title_after(match.title, record.ply), match.number, notes=notes)
    closing = "" if match.is_running else match.result
    return View(record, match.title, match.number, closing, match.offer, reader, notes=notes)


def view_record(record: Record[str], notes: tuple[str, ...] = (), ply: int | None = None) -> View:
    """Return the view of a record after ``ply`` turns, as of a match; its names can be shown."""
    title = f"{record.game.title} Board {record.board}" if record.board else record.game.title
    title, first, second = (
        " ".join(clean(text).split()) for text in (title, record.first, record.second)
    )
    after = record.with_players(first, second).after(resolve_ply(ply, record.ply, title))
    return View(
        after.with_players(Seat(0, first), Seat(0, second)),
        title if after.ply == record.ply else _title_after(title, after.ply),
        closing=after.result_sentence(),
        notes=notes,
    )


def _title_after(title: str, ply: int) -> str:
    from pbmserv.club.wording import with_count

    return f"{title} after {with_count(ply, 'move')}"


def view_empty(game: Game) -> View:
    """Return the empty board of a game that nobody plays."""
    return View(Record(game, NOBODY, NOBODY), game.title)


def view_blocks(view: View, *, rounds: int | None = None, aims: bool = False) -> list[Block]:
    """Return the view for people: heading, moves, picture, score and whose turn it is.

    ``rounds`` limits the listed moves; with ``aims`` the goal of each side is listed.
    """
    head = heading(view)
    if aims and view.game.goal_of(Side.X):
        head += "\n" + ", ".join(f"{side.value} {view.game.goal_of(side)}" for side in Side)
    blocks: list[Block] = [head]
    if moves := move_lines(view, rounds):
        blocks.append(MoveList("\n".join(moves)))
    score = view.score
    is_over = view.to_move is None
    standing = f"{standing_words(view, score)}\n{turn_sentence(view)}"
    caption = view_caption(view, head, standing)
    board = BoardPicture(view.game, view.position, is_over, caption, record=view.record)
    blocks += [board, standing]
    warning = warning_lines(view, score)
    return [*blocks, "\n".join(warning)] if warning else blocks


def standing_words(view: View, score: Score) -> str:
    """Return the points, and while they are worth it what can still become of them."""
    first = score_words(view, score)
    return first if view.is_open else "\n".join([first, *prospect_lines(score, view.settled)])


def score_words(view: View, score: Score) -> str:
    """Return the points: those agreed on, those at the end, or what stands so far."""
    ended = view.record.outcome
    if ended is None or ended.reason.is_by_rules:
        return headline(score, is_over=view.to_move is None, is_open=view.is_open)
    # Who has more of them on the board did not decide the game.
    stood = f"Points on the board: {side_points(score)}"
    if ended.points is not None:
        return f"Agreed: X {ended.points[Side.X]}, O {ended.points[Side.O]}.\n{stood}"
    if ended.reason is Reason.AGREEMENT and ended.winner is not None:
        return f"Agreed: {ended.winner.value} wins."
    has_points = not score.is_undecided and not score.feat
    return stood if has_points else headline(score, is_over=True)


def points_shown(record: Record[Any], score: Score) -> Points | None:
    """Return the points to be shown: at the end those that decided the game, None without."""
    if score.is_undecided or score.feat:
        return None
    return score.points if record.outcome is None else record.points


def view_caption(view: View, head: str, standing: str) -> LegendText:
    """Return the legend of a view from its heading ``head`` and its score ``standing``."""
    first = head.partition("\n")[0]
    return LegendText(first, view.names_shown[Side.X], view.names_shown[Side.O], standing)


def warning_lines(view: View, score: Score) -> list[str]:
    """Return, after a first pass, what a second one would make of the game, else nothing."""
    if view.to_move is None or view.position.passes != 1:
        return []
    result = view.game.outcome(view.game.play(view.position, PASS))
    if result is None:
        return []
    winner = f"{view.name_of(result.winner)} wins" if result.winner else ""
    end = result.clause(winner, points=score.points)
    lines = [f"A second pass now ends the game: {end}.", *score.notes]
    if score.details.get("unowned_peries"):
        lines.append("Peries that nobody owns count for nobody; to win them, play on.")
    return lines


def heading(view: View) -> str:
    """Return title, options and players in two lines, then notes, a line each."""
    options = options_words(view.game)
    lines = [f"{view.title} ({options})" if options else view.title]
    if any(view.names_shown.values()):
        lines.append(f"X: {view.name_of(Side.X)}   O: {view.name_of(Side.O)}")
    return "\n".join([*lines, *view.notes])


@lru_cache(maxsize=64)
def options_words(game: Game) -> str:
    """Return the options of the game: ``size 7, maxi``."""
    words = [
        option.name if option.is_flag else f"{option.name} {value}"
        for option, value in named_options(game)
    ]
    return ", ".join(words)


def turn_sentence(view: View) -> str:
    """Return whose turn it is, or how the game ended."""
    side = view.to_move
    if side is None:
        return view.closing
    name = view.names_shown[side]
    who = f"{name} ({side.value})" if name else side.value
    turn = f"Move {view.record.ply + 1}: {who} to move."
    return f"{turn}\n{view.offer_line}" if view.offer else turn


def move_lines(
    view: View, rounds: int | None = None, room: int = MOVES_A_LINE * MOVE_WIDTH
) -> list[str]:
    """Return the numbered moves, the side that made each before it, as many to a line as fit."""
    record, first = view.record, 0
    count, sides = record.ply, record.sides
    if rounds is not None:  # a round of two turns begins at an odd move number
        first = max(0, (count - 1) // 2 * 2 - 2 * (rounds - 1))
    cells = [f"{i + 1:>3}. {sides[i]} {record.moves[i].text}" for i in range(first, count)]
    a_line = min(max(1, room // MOVE_WIDTH), MOVES_A_LINE)
    return [
        "".join(cell.ljust(MOVE_WIDTH) for cell in cells[start : start + a_line]).rstrip()
        for start in range(0, len(cells), a_line)
    ]
