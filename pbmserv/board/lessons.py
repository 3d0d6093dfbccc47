"""Ten small lessons on the real board, each with a task that must be solved, and the puzzles."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pbmserv.board.hosts import Host
from pbmserv.board.play_session import Intent
from pbmserv.board.saved_games import game_words, load_solved, save_solved
from pbmserv.club.player import Seat
from pbmserv.club.puzzles import Puzzle, puzzles
from pbmserv.desk.local_game import PERSON, READER
from pbmserv.engine.game import Game
from pbmserv.engine.position import PASS, Move, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import PbmservError, Refused
from pbmserv.render.score_lines import change_lines
from pbmserv.render.view import View

Test = Callable[[Game, Position, Position, Move], bool]
"""Tells whether a move solves a task: the game, the position before and after it, the move."""


class Lesson(NamedTuple):
    """A position to be solved; ``tip`` explains what is wrong with any other move."""

    title: str
    text: str
    x: str
    o: str
    is_right: Test
    tip: str
    moves: str = ""
    spec: str = "star(size=4)"

    @property
    def game(self) -> Game:
        """The rules of the lesson's board."""
        return parse_game(self.spec)

    @property
    def record(self) -> Record[Seat]:
        """The game up to the task."""
        game = self.game
        stones = {Side.X: self.x.split(), Side.O: self.o.split()}
        start = game.position_of(stones) if self.x or self.o else game.start()
        moves = tuple(map(game.parse_move, self.moves.split()))
        played = Record(game, 0, 1, moves, known=(start,))
        players = [Seat(READER, PERSON), Seat(0, "")]
        if played.seats[played.position.to_move]:
            players.reverse()
        return played.with_players(*players)

    @property
    def solutions(self) -> list[Move]:
        """The moves that solve the task."""
        game, position = self.game, self.record.position
        return [
            move
            for move in game.legal_moves(position)
            if self.is_right(game, position, game.play(position, move), move)
        ]


def earns(beside: str = "") -> Test:
    """Return the test for a stone that gains a point, next to one of these cells where named."""

    def test(game: Game, before: Position, after: Position, move: Move) -> bool:
        side, near = before.to_move, game.board.neighbours
        led, leads = (
            score.points[side] - score.points[side.other]
            for score in (game.score(before), game.score(after))
        )
        cells = {cell for name in beside.split() for cell in near[game.board.index[name]]}
        return leads > led and (not cells or not cells.isdisjoint(move.cells))

    return test


def plays(*texts: str) -> Test:
    """Return the test for one of these moves."""
    return lambda _game, _before, _after, move: move.text in texts


def leads(game: Game, before: Position, after: Position, _move: Move) -> bool:
    """Tell whether the side that moved is ahead now."""
    return game.score(after).winner is before.to_move


def settles(game: Game, before: Position, after: Position, _move: Move) -> bool:
    """Tell whether the side that moved now wins, whatever is played."""
    end = settled(game, after)
    return end is not None and end.winner is before.to_move


LESSONS = (
    Lesson(
        "A chain and the rim",
        "Stones of one colour that touch are a chain. Around the board lie the externals, where "
        "nobody plays (press e to see them). At the end a chain earns one point for each external "
        "it touches, minus two. Your chain X has one stone on the rim: 2 - 2 = 0 points. Make it "
        "longer along the rim.",
        "F2",
        "C4 B5",
        earns("F2"),
        "That does not extend the chain of F2 along the rim.",
    ),
    Lesson(
        "Joining",
        "Each chain costs two points. If you join two, you pay only once: that is worth two "
        "points. Join your two chains.",
        "D1 C2 A4 A5",
        "E3 D4 C5",
        plays("B3"),
        "You still have two chains. One cell touches both.",
    ),
    Lesson(
        "The corner",
        "A stone on the rim touches two externals, so alone it earns nothing. A stone on a corner "
        "touches three. Place a stone that earns a point alone.",
        "C3 D4",
        "C4 D3",
        earns(),
        "That stone earns nothing alone, because it is not on one of the six corners.",
    ),
    Lesson(
        "The bridge",
        "C3 and D4 do not touch, but two cells join them, C4 and D3: a bridge. If your opponent "
        "takes one of them, you take the other. O has just taken D3.",
        "C3 D4",
        "D3 E2",
        plays("C4"),
        "Now O can cut your stones apart: the other cell of the bridge was C4.",
    ),
    Lesson(
        "The edge",
        "A stone one line from the rim can reach it through two cells, too. O has just taken C6, "
        "one of the two below your C5. Reach the rim anyway.",
        "C5 C4",
        "C6 D4",
        plays("B6"),
        "O can now keep C5 from this rim: the other cell was B6.",
    ),
    Lesson(
        "Swap",
        "The player who moves first has an advantage. So the second player may swap as the second "
        "move: they become X and own the first stone. You are O; X has begun in the middle, where "
        "a stone is worth most. Press w to swap.",
        "",
        "",
        plays("swap"),
        "You could, but the stone in the middle is worth more: press w to take it over.",
        moves="D3",
    ),
    Lesson(
        "Counting",
        "O leads by 7 to 6. Press s to see what each chain earns. Beside the board you see how a "
        "stone under the cursor would change the score. Find the stone that puts you ahead.",
        "D5 A6 F4 D4 B6 C6 E4 C5 E3",
        "A4 F2 E2 D2 B3 C3 A5 F1 C4",
        leads,
        "You are still not ahead.",
    ),
    Lesson(
        "*Star: peries, quarks, reward",
        "In *Star only the cells of the outer ring count, the peries. A chain with two of them is "
        "a star. For each star you have more than your opponent, you lose two points and they "
        "gain two: the reward. A corner is a quark as well, and three quarks are worth a point. "
        "You have two stars. Make them one.",
        "S40 S41 S43 T40",
        "A40 A41 A42 R30",
        plays("S42"),
        "You still have two stars. One cell of the outer ring joins them.",
        spec="starstar(size=4)",
    ),
    Lesson(
        "When the result is certain",
        "If you win even when O gets every empty cell, the result is certain: nothing can change "
        "it. Beside the board you see what is still possible. Find the stone after which X wins, "
        "whatever is played.",
        "B3 A5 D2 A6 E1 B4 A4 C2",
        "C5 C4 B6 C6 E4 D3 F3 D4 C3",
        settles,
        "Then O may still win. You need as much of the rim as possible.",
    ),
    Lesson(
        "Two passes",
        "Each side has one chain, and the whole rim is taken: stones inside change nothing. When "
        "nothing is left to win, both players pass, and the game ends. Press p to pass.",
        "D1 E1 F1 F2 F3 F4 E5 D6",
        "C6 B6 A6 A5 A4 B3 C2",
        plays("pass"),
        "That changes nothing. Press p to pass.",
    ),
)


class Tasks(NamedTuple):
    """Numbered tasks with their titles; ``word`` is the name of one task."""

    word: str
    title: str
    titles: tuple[str, ...]
    task: Callable[[int], Lesson]


def lessons() -> Tasks:
    """Return the lessons as tasks to choose from."""
    titles = tuple(lesson.title for lesson in LESSONS)
    return Tasks("Lesson", "Ten small lessons", titles, lambda number: LESSONS[number - 1])


def puzzle_tasks() -> Tasks:
    """Return the puzzles as tasks to choose from."""
    found = puzzles()
    titles = tuple(game_words(puzzle.game) for puzzle in found)
    title = f"{len(found)} puzzles: one move wins"
    return Tasks("Puzzle", title, titles, lambda number: _lesson_of(found[number - 1]))


TASKS = {"Lesson": lessons, "Puzzle": puzzle_tasks}
"""All kinds of tasks, by the word for one of them."""


def _lesson_of(puzzle: Puzzle) -> Lesson:
    side = puzzle.side
    return Lesson(
        puzzle.game.title,
        f"{side} to move and win: which move? Every other move loses.",
        "",
        "",
        plays(puzzle.solution),
        f"after that {side.other} can still win. Look again.",
        " ".join(puzzle.moves),
        format_game(puzzle.game),
    )


class LessonHost(Host):
    """Judges the moves in a task, and saves which were solved in the file ``solved_in``."""

    def __init__(self, tasks: Tasks, number: int = 1, solved_in: Path | None = None) -> None:
        self.tasks = tasks
        self.solved_in = solved_in
        self._begin(number)

    def _begin(self, number: int) -> None:
        """Begin a task, after the last one that one again."""
        self.number = min(number, len(self.tasks.titles))
        self.lesson = self.tasks.task(self.number)
        self.is_solved = False
        self._record = self.lesson.record
        self._solving = frozenset(cell for move in self.lesson.solutions for cell in move.cells)

    def view(self) -> View:
        """Return the task's board with the task beside it."""
        lesson, word, count = self.lesson, self.tasks.word, len(self.tasks.titles)
        has_next = self.is_solved and self.number < count
        going_on = f"Press Enter for the next {word.lower()}." if has_next else ""
        if self.leads_to_game:
            going_on = "Press Enter for a first game against the computer."
        ending = going_on or f"That was the last {word.lower()}. q: back."
        return View(
            replace(self._record, outcome=None),  # a task is solved, not won
            f"{word} {self.number} of {count}: {lesson.title}",
            reader=None if self.is_solved else READER,
            task=f"Right! {ending}" if self.is_solved else lesson.text,
            solving=frozenset() if self.is_solved else self._solving,
            going_on=going_on,
        )

    @property
    def leads_to_game(self) -> bool:
        """Whether this was the last lesson."""
        return self.is_solved and self.tasks.word == "Lesson" and self.number == len(LESSONS)

    def perform(self, intent: Intent) -> str:
        """Judge a move, or go to the next task."""
        if intent.verb == "next":
            self._begin(self.number + 1)
            return ""
        if intent.verb != "move":
            return "Solve the task, or press q to leave."
        lesson, before = self.lesson, self._record.position
        move = lesson.game.parse_move(intent.text)
        after = lesson.game.play(before, move)
        if not lesson.is_right(lesson.game, before, after, move):
            return f"{move.text}: {lesson.tip}"
        note = self._solved()
        self._record = self._record.play(move)
        if move == PASS:
            self._record = self._record.play(PASS)
        if not move.cells:
            return f"Right! {note}".strip()
        scores = (lesson.game.score(position) for position in (before, after))
        change = " ".join(line.strip() for line in change_lines(*scores)[1:2])
        return f"Right! {change} {note}".strip()

    def _solved(self) -> str:
        """Save that the task is solved; return a note about a failure, or ""."""
        self.is_solved = True
        if self.solved_in is None:
            return ""
        try:
            save_solved(self.solved_in, load_solved(self.solved_in) | {self.number})
        except (PbmservError, OSError) as error:
            self.solved_in = None
            return f"This cannot be saved: {error}"
        return ""

    def hint(self, position: Position) -> Move | None:
        """Return the move that solves the task, of several the one that leads by most."""
        game, side = self.lesson.game, position.to_move
        if position != self.lesson.record.position:
            return None

        def lead(move: Move) -> int:
            points = game.score(game.play(position, move)).points
            return points[side] - points[side.other]

        return max(self.lesson.solutions, key=lead)

    def record(self) -> Record[str]:
        """Raise :class:`Refused`: the stones of a lesson were not played."""
        raise Refused("A lesson has no record.", code="no-record")
